package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Collection;

/** The end of all agents: running turns may end for a while, then they are cut off. */
record Shutdown(Time time, Collection<ThreadAgent> agents) {
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration LOOK = Duration.ofMillis(20);

  /** Blocks until all is quiet, or until the deadline; whether all is quiet. */
  boolean finish(Deadline deadline) throws InterruptedException {
    boolean quiet = allQuiet();
    while (!quiet && !deadline.isOver()) {
      time.sleep(LOOK);
      quiet = allQuiet();
    }
    return quiet;
  }

  /** Cuts off what runs. Blocks until all is quiet, or until the grace is over. */
  boolean cutOff() throws InterruptedException {
    agents.forEach(ThreadAgent::shutdown);
    return finish(Deadline.in(time, GRACE));
  }

  /** Asks every agent, so that none of them begins another turn. */
  private boolean allQuiet() {
    return agents.stream().filter(agent -> !agent.quiesce()).count() == 0;
  }
}
