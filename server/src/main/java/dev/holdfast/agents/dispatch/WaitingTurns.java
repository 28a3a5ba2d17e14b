package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.thread.ModelTrials;
import dev.holdfast.resilience.Backoff;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The turns that wait for a model, by the place of their message. Not thread-safe. */
final class WaitingTurns {
  private static final Comparator<Turn> LEAST_FAILED =
      Comparator.comparingInt(turn -> turn.trials().failures());

  private final TreeMap<Long, Turn> turns = new TreeMap<>();

  /**
   * @param sinceNanos when it began to wait, before its first run perhaps
   * @param failedNanos when its last run has ended
   */
  record Turn(
      long seq,
      String eventId,
      String threadId,
      long sinceNanos,
      ModelTrials trials,
      long failedNanos) {
    /**
     * Whether it may ask while models answer. After a failure that it had alone it waits on its
     * own; else the first answer to anybody sets it free.
     */
    boolean isDue(long answers, Backoff pauses, long nowNanos) {
      boolean isFree = trials.alone() == 0 && trials.seen().answers() < answers;
      return trials.failures() == 0 || isFree || pauseLeft(pauses, nowNanos).isZero();
    }

    Duration pauseLeft(Backoff pauses, long nowNanos) {
      Duration left = pauses.after(Math.max(1, trials.alone())).minusNanos(nowNanos - failedNanos);
      return left.isNegative() ? Duration.ZERO : left;
    }
  }

  void add(Turn turn) {
    turns.put(turn.seq(), turn); // one for each active agent at most
  }

  void remove(long seq) {
    turns.remove(seq);
  }

  boolean isEmpty() {
    return turns.isEmpty();
  }

  /** Takes the one that has failed least, of those the oldest. */
  Optional<Turn> takeLeastFailed() {
    Optional<Turn> least = turns.values().stream().min(LEAST_FAILED);
    least.ifPresent(turn -> turns.remove(turn.seq()));
    return least;
  }

  /** Takes those, the ones that have failed least first, of those the oldest. */
  List<Turn> take(Predicate<Turn> which, int countMax) {
    List<Turn> taken =
        turns.values().stream().filter(which).sorted(LEAST_FAILED).limit(countMax).toList();
    taken.forEach(turn -> turns.remove(turn.seq()));
    return taken;
  }

  boolean anyMatch(Predicate<Turn> which) {
    return turns.values().stream().anyMatch(which);
  }

  /** Those that have failed while others were answered, the oldest first. */
  List<Turn> alone() {
    return turns.values().stream().filter(turn -> turn.trials().alone() > 0).toList();
  }
}
