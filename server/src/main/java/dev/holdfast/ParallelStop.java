package dev.holdfast;

import dev.holdfast.resilience.Deadline;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what has not ended by itself, all of it at once, so that no part uses up the time of
 * another. What hangs even then ends with the process.
 */
final class ParallelStop {
  /** What is cut off at a stop gets this long, even when the budget is spent. */
  static final Duration TIME_MIN = Duration.ofSeconds(4);

  private static final Logger LOG = LoggerFactory.getLogger(ParallelStop.class);

  private final Time time;
  private final List<Thread> parts = new ArrayList<>();

  /** Ends one part; blocks until it has. */
  interface Step {
    void run() throws InterruptedException;
  }

  ParallelStop(Time time) {
    this.time = time;
  }

  ParallelStop with(String name, Step step) {
    parts.add(Thread.ofVirtual().name(name).unstarted(() -> end(name, step)));
    return this;
  }

  /** Blocks until all parts have ended, or their time is over. */
  void run(Deadline deadline) throws InterruptedException {
    parts.forEach(Thread::start);
    Duration left = deadline.left().compareTo(TIME_MIN) > 0 ? deadline.left() : TIME_MIN;
    Deadline end = Deadline.in(time, left);
    for (Thread part : parts) {
      if (!part.join(end.left())) {
        LOG.warn("server: {} did not stop in time and is left behind", part.getName());
      }
    }
  }

  private static void end(String name, Step step) {
    try {
      step.run();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warn("server: {} did not stop cleanly", name, e);
    }
  }
}
