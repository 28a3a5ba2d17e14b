package dev.holdfast.health;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** When each part that must keep moving last moved. Thread-safe. */
public final class Ticks {
  private final Time time;
  private final Map<String, Long> lastNanos = new ConcurrentHashMap<>();

  public Ticks(Time time) {
    this.time = time;
  }

  /** Called by the part itself, from real progress and never from a bare timer. */
  public void tick(String part) {
    lastNanos.put(part, time.nanos());
  }

  /**
   * The part counts as moving now, if it has not ticked yet: its silence is noticed even if it
   * never begins.
   */
  public void expect(String part) {
    lastNanos.putIfAbsent(part, time.nanos());
  }

  /** How long ago each part last moved. */
  public Map<String, Duration> ages() {
    Map<String, Duration> ages = new TreeMap<>();
    lastNanos.forEach((part, nanos) -> ages.put(part, Duration.ofNanos(time.nanos() - nanos)));
    return ages;
  }
}
