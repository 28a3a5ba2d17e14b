package dev.holdfast.modes;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Since when parts are down, for those who only know that they are. Thread-safe. */
public final class DownTimes {
  private final Time time;
  private final Map<String, Long> since = new TreeMap<>();

  public DownTimes(Time time) {
    this.time = time;
  }

  /** {@code names}: all that is down now. What is not among them begins anew. */
  public synchronized List<DownPart> of(Collection<String> names) {
    long now = time.nanos();
    since.keySet().retainAll(names);
    names.forEach(name -> since.putIfAbsent(name, now));
    return since.entrySet().stream()
        .map(down -> new DownPart(down.getKey(), Duration.ofNanos(now - down.getValue())))
        .toList();
  }
}
