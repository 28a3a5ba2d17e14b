package dev.holdfast.agents.dispatch;

import java.time.Duration;
import java.util.Set;

/** Where the models stand, as far as turns have found out. */
sealed interface OutageState {
  /**
   * Models answer, or nobody has asked one yet: turns that waited go on.
   *
   * @param failing the chat threads that have failed since the last answer, too few to speak for
   *     the models
   * @param answered when a model has answered last, if one has
   */
  record Available(Set<String> failing, Answered answered) implements OutageState {
    static final Available UNTRIED = new Available(Set.of(), new Answered.Never());
  }

  /**
   * No model has answered since turns have failed: they ask one after the other.
   *
   * @param probesFailed how many have asked in vain
   * @param atOnce whether the next one need not wait
   */
  record Away(long sinceNanos, int probesFailed, boolean atOnce) implements OutageState {}

  /** One of them asks. */
  record Probing(long sinceNanos, int probesFailed, String threadId) implements OutageState {}

  /** When a model has answered last, by the clock that never jumps. */
  sealed interface Answered {
    record Never() implements Answered {}

    record At(long nanos) implements Answered {}

    default boolean isWithin(Duration time, long nowNanos) {
      return switch (this) {
        case Never() -> false;
        case At(long nanos) -> nowNanos - nanos <= time.toNanos();
      };
    }
  }
}
