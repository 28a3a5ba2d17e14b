package dev.holdfast.access;

import dev.holdfast.time.Time;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many messages each key had within the last minute. What was not admitted does not count, so
 * that nobody who goes on writing is shut out for ever. Remembers the keys that were seen last, up
 * to both of its bounds; one that was forgotten begins anew. Thread-safe.
 */
final class RateWindows {
  static final int KEYS_MAX = 10_000;
  static final int MESSAGES_MAX = 200_000;

  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Map<Long, ArrayDeque<Admitted>> windows = new LinkedHashMap<>(16, 0.75f, true);
  private final Time time;
  private int messages;

  private record Admitted(long atNanos, long message) {}

  RateWindows(Time time) {
    this.time = time;
  }

  /**
   * Counts the message and says whether it is within the limit. The same one again within the
   * minute is, without being counted.
   *
   * @param key of whom or what the limit is
   * @param message the hash of its id
   * @param most within a minute, from 0
   */
  synchronized boolean admits(long key, long message, int most) {
    long now = time.nanos();
    ArrayDeque<Admitted> window = windows.computeIfAbsent(key, _ -> new ArrayDeque<>(2));
    while (!window.isEmpty() && now - window.getFirst().atNanos() >= MINUTE_NANOS) {
      window.removeFirst();
      messages--;
    }
    if (window.stream().anyMatch(each -> each.message() == message)) {
      return true;
    }
    boolean isWithin = window.size() < most;
    if (isWithin) {
      window.addLast(new Admitted(now, message));
      messages++;
    }
    forgetOldest();
    return isWithin;
  }

  private void forgetOldest() {
    var eldest = windows.values().iterator();
    while (windows.size() > KEYS_MAX || (messages > MESSAGES_MAX && windows.size() > 1)) {
      messages -= eldest.next().size();
      eldest.remove();
    }
  }

  synchronized int keys() {
    return windows.size();
  }

  synchronized int messages() {
    return messages;
  }
}
