package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.thread.ModelTrials;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.resilience.FlowKey;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The turns that wait for a model, by the place of their message. Not thread-safe. */
final class WaitingTurns {
  private static final Comparator<Turn> LEAST_FAILED =
      Comparator.comparingInt(turn -> turn.trials().failures());

  private static final int FLOWS_MAX = 10_000;

  private final TreeMap<Long, Turn> turns = new TreeMap<>();

  /** How often one was taken to probe, by its account alone and by the whole of its flow. */
  private final Map<FlowKey, Integer> probes = new HashMap<>();

  /**
   * @param sinceNanos when it began to wait, before its first run perhaps
   * @param failedNanos when its last run has ended
   */
  record Turn(
      long seq,
      String eventId,
      String threadId,
      FlowKey flow,
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

  /**
   * Takes one that is to find out if a model is back. Accounts take turns, and the senders of an
   * account, so that nobody's messages, however many, probe in vain for all; of a sender's it is
   * the one that has failed least, of those the oldest.
   */
  Optional<Turn> takeProbe() {
    Optional<Turn> next =
        turns.values().stream()
            .min(
                Comparator.comparingInt((Turn turn) -> probesOf(account(turn)))
                    .thenComparingInt(turn -> probesOf(turn.flow()))
                    .thenComparing(LEAST_FAILED));
    next.ifPresent(this::takeToProbe);
    return next;
  }

  private void takeToProbe(Turn turn) {
    turns.remove(turn.seq());
    if (probes.size() > FLOWS_MAX) {
      probes.clear();
    }
    Stream.of(account(turn), turn.flow())
        .distinct()
        .forEach(flow -> probes.merge(flow, 1, Integer::sum));
  }

  private int probesOf(FlowKey flow) {
    return probes.getOrDefault(flow, 0);
  }

  private static FlowKey account(Turn turn) {
    return new FlowKey(turn.flow().path().stream().limit(1).toList());
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
