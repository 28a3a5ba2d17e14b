package dev.holdfast.store.threads;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was found damaged in logs of chat threads since the start: told once per thread, not at each
 * look. Thread-safe.
 */
final class DamagedLines {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedLines.class);
  private static final int THREADS_MAX = 10_000;

  /** The most that was found in one look at a thread's log; the longest known thread goes first. */
  private final Map<String, Integer> known = new LinkedHashMap<>();

  private long count;

  /** Called after each look; {@code lines} may be zero. */
  synchronized void found(String threadId, int lines) {
    int before = known.getOrDefault(threadId, 0);
    if (lines <= before) {
      return;
    }
    if (known.size() >= THREADS_MAX && before == 0) {
      known.remove(known.keySet().iterator().next());
    }
    known.put(threadId, lines);
    count += lines - before;
    LOG.error("thread {}: {} lines of its log are damaged on disk and not shown", threadId, lines);
  }

  /** How many there are, in all logs that were looked at. */
  synchronized long count() {
    return count;
  }
}
