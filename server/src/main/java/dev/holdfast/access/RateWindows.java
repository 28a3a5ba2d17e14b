package dev.holdfast.access;

import dev.holdfast.time.Time;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many messages each key wrote within a minute, by the times when they were written: what comes
 * late and all at once, after an outage, was not written faster for that. What was not admitted
 * does not count, so that nobody who goes on writing is shut out for ever. Remembers for a minute
 * what was admitted, of the keys that were seen last, up to both of its bounds; one that was
 * forgotten begins anew. Thread-safe.
 */
final class RateWindows {
  static final int KEYS_MAX = 10_000;
  static final int MESSAGES_MAX = 200_000;

  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long MINUTE_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final Map<Long, ArrayDeque<Admitted>> windows = new LinkedHashMap<>(16, 0.75f, true);
  private final Time time;
  private int messages;

  private record Admitted(long atNanos, long writtenMillis, long message) {
    boolean isWithinAMinuteOf(long millis) {
      return Math.abs(writtenMillis - millis) < MINUTE_MILLIS;
    }
  }

  RateWindows(Time time) {
    this.time = time;
  }

  /**
   * Counts the message and says whether it is within the limit. The same one again within the
   * minute is, without being counted.
   *
   * @param key of whom or what the limit is
   * @param message the hash of its id
   * @param writtenAtMillis since 1970; when it is 0 or in the future, it was written now
   * @param most within a minute, from 0
   */
  synchronized boolean admits(long key, long message, long writtenAtMillis, int most) {
    long now = time.nanos();
    long nowMillis = time.now().toEpochMilli();
    long written = writtenAtMillis > 0 ? Math.min(writtenAtMillis, nowMillis) : nowMillis;
    ArrayDeque<Admitted> window = windows.computeIfAbsent(key, _ -> new ArrayDeque<>(2));
    while (!window.isEmpty() && now - window.getFirst().atNanos() >= MINUTE_NANOS) {
      window.removeFirst();
      messages--;
    }
    int near = 0;
    for (Admitted each : window) {
      if (each.message() == message) {
        return true;
      }
      near += each.isWithinAMinuteOf(written) ? 1 : 0;
    }
    boolean isWithin = near < most;
    if (isWithin) {
      window.addLast(new Admitted(now, written, message));
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
