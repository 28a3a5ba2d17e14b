package dev.holdfast.agents.thread;

import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnResources;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turns that had to be freed, and the threads that did not even react to that. Those cannot be
 * ended in this process, so their number has a limit. Thread-safe.
 */
public final class StuckTurns {
  /**
   * How many threads may be given up at the same time; then only a restart helps. Half of the calls
   * that one provider is asked at once: each of these threads may hold one.
   */
  public static final int GIVEN_UP_MAX = 16;

  private static final Logger LOG = LoggerFactory.getLogger(StuckTurns.class);
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);
  private static final int FRAMES_MAX = 40;

  private final TurnResources resources;
  private final TurnEndings endings;
  private final Consumer<ThreadAgent> replace;
  private final Set<Thread> givenUp = ConcurrentHashMap.newKeySet();
  private final Counter interrupted;
  private final Counter abandoned;

  /** {@code replace}: puts another agent in the place of one whose thread was given up. */
  public StuckTurns(
      TurnResources resources,
      TurnEndings endings,
      MeterRegistry meters,
      Consumer<ThreadAgent> replace) {
    this.resources = resources;
    this.endings = endings;
    this.replace = replace;
    interrupted = counter(meters, "interrupted");
    abandoned = counter(meters, "abandoned");
    meters.gauge("holdfast.given.up.threads", this, StuckTurns::count);
  }

  private static Counter counter(MeterRegistry meters, String freed) {
    return Counter.builder("holdfast.stuck.turns")
        .description("turns that were freed because they did not move or did not stop")
        .tag("freed", freed)
        .register(meters);
  }

  /**
   * Interrupts the agent's turn when it has given no sign for {@code turn.stuck_secs} longer than
   * it may be silent, at two looks in a row. Never blocks.
   */
  public void lookAfter(ThreadAgent agent) {
    Optional<RunningTurn> running = agent.running();
    if (running.isEmpty()) {
      return;
    }
    RunningTurn turn = running.get();
    Duration overdue = turn.overdue();
    boolean isSilent = overdue.compareTo(resources.config().turn().stuck()) >= 0;
    if (!turn.isSilentAgain(isSilent)) {
      return;
    }
    String stack = stack(turn.thread());
    if (turn.cancel(Cancel.STUCK)) {
      interrupted.increment();
      LOG.error(
          "thread {}: no progress for {} s longer than it may be silent, ending its turn; it was"
              + " at\n{}",
          agent.threadId(),
          overdue.toSeconds(),
          stack);
    } else if (turn.isOver()) { // it was ended already and is stuck in its end
      Thread.ofVirtual().name("stuck").start(() -> free(agent, turn));
    }
  }

  /**
   * Frees a chat thread from a turn whose thread does not react: its events end, and another agent
   * takes over. Blocks until they have ended.
   */
  public void free(ThreadAgent agent, RunningTurn turn) {
    if (agent.running().orElse(null) != turn) {
      return;
    }
    if (count() >= GIVEN_UP_MAX) {
      LOG.error("thread {}: stuck, like too many others: only a restart helps", agent.threadId());
      resources.time().after(AGAIN_AFTER, () -> free(agent, turn)); // unless others come back
      return;
    }
    if (!agent.giveUp(turn)) { // it writes: the disk is slow, and would be for another thread too
      resources.time().after(RunningTurn.REACTION, () -> free(agent, turn));
      return;
    }
    abandoned.increment();
    givenUp.add(turn.thread());
    LOG.error(
        "thread {}: its Java thread does not react and is replaced; it is at\n{}",
        agent.threadId(),
        stack(turn.thread()));
    turn.release();
    Cancel why = turn.close().orElse(Cancel.STUCK);
    try {
      new UnansweredEvents(agent.threadId(), resources.store(), resources.configs(), endings)
          .cutOff(turn.events(), why, turn.stoppedUpTo());
    } finally {
      replace.accept(agent); // a bug above must not leave the chat thread without an agent
    }
  }

  /** Whether no more can be freed. */
  public boolean areTooMany() {
    return hanging() >= GIVEN_UP_MAX;
  }

  /** How many given-up threads still run, and tools that go on after their end. */
  public int hanging() {
    return count() + resources.toolbox().hanging();
  }

  /** How many given-up threads still run. */
  int count() {
    givenUp.removeIf(thread -> !thread.isAlive());
    return givenUp.size();
  }

  private static String stack(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .limit(FRAMES_MAX)
        .map(frame -> "  at " + frame)
        .collect(Collectors.joining("\n"));
  }
}
