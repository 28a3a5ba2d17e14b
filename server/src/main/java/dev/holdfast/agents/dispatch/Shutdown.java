package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.function.BooleanSupplier;

/** The end of all agents: running turns may end for a while, then they are cut off. */
record Shutdown(Time time, Collection<ThreadAgent> agents) {
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration LOOK = Duration.ofMillis(20);

  /** Blocks until all is quiet, or until the patience and then the grace are over. */
  void close(Duration patience, BooleanSupplier hurry) throws InterruptedException {
    long start = time.nanos();
    while (!allQuiet() && isWithin(start, patience) && !hurry.getAsBoolean()) {
      time.sleep(LOOK);
    }
    agents.forEach(ThreadAgent::shutdown);
    long cut = time.nanos();
    while (!allQuiet() && isWithin(cut, GRACE)) {
      time.sleep(LOOK);
    }
  }

  /** Asks every agent, so that none of them begins another turn. */
  private boolean allQuiet() {
    return agents.stream().filter(agent -> !agent.quiesce()).count() == 0;
  }

  private boolean isWithin(long start, Duration limit) {
    return time.nanos() - start < limit.toNanos();
  }
}
