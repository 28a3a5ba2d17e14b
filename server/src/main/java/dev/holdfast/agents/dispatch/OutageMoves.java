package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.dispatch.OutageEvent.Failed;
import dev.holdfast.agents.dispatch.OutageEvent.FoundParked;
import dev.holdfast.agents.dispatch.OutageEvent.ModelAnswered;
import dev.holdfast.agents.dispatch.OutageEvent.ProbeBegun;
import dev.holdfast.agents.dispatch.OutageEvent.ProbeEnded;
import dev.holdfast.agents.dispatch.OutageEvent.ProbeSilent;
import dev.holdfast.agents.dispatch.OutageEvent.Refused;
import dev.holdfast.agents.dispatch.OutageState.Answered;
import dev.holdfast.agents.dispatch.OutageState.Available;
import dev.holdfast.agents.dispatch.OutageState.Away;
import dev.holdfast.agents.dispatch.OutageState.Probing;
import dev.holdfast.resilience.FailingParts;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * When models count as away, as one pure function, so that a test can try every event in every
 * state.
 */
final class OutageMoves {
  private OutageMoves() {}

  /**
   * @param nanos when it happens
   * @param recent how long an answer speaks for the models
   */
  record Moment(long nanos, Duration recent) {}

  static OutageState next(OutageState state, OutageEvent event, Moment now) {
    return switch (event) {
      case FoundParked() -> foundParked(state, now);
      case ModelAnswered() -> new Available(Set.of(), new Answered.At(now.nanos()));
      case Failed(String threadId, boolean alone) -> failed(state, threadId, alone, now);
      case Refused(String threadId) -> refused(state, threadId, now);
      case ProbeBegun(String threadId) -> probeBegun(state, threadId);
      case ProbeEnded(String threadId) -> probeEnded(state, threadId);
      case ProbeSilent() -> probeSilent(state);
    };
  }

  /** Nobody knows: the first one asks at once. */
  private static OutageState foundParked(OutageState state, Moment now) {
    return switch (state) {
      case Available _ -> new Away(now.nanos(), 0, true);
      case Away _, Probing _ -> state;
    };
  }

  /**
   * One turn that fails speaks for itself when it fails alone or a model has answered just before;
   * several speak for the models, and so does one when nobody has had an answer.
   */
  private static OutageState failed(OutageState state, String threadId, boolean alone, Moment now) {
    return switch (state) {
      case Available(Set<String> failing, Answered answered) -> {
        Set<String> all = new HashSet<>(failing);
        all.add(threadId);
        boolean speaksForItself = alone || answered.isWithin(now.recent(), now.nanos());
        yield speaksForItself && all.size() < FailingParts.ENOUGH
            ? new Available(Set.copyOf(all), answered)
            : new Away(now.nanos(), 0, false);
      }
      case Probing(long since, int failed, String probing) when probing.equals(threadId) ->
          new Away(since, failed + 1, false);
      case Away _, Probing _ -> state;
    };
  }

  private static OutageState refused(OutageState state, String threadId, Moment now) {
    return switch (state) {
      case Available _ -> new Away(now.nanos(), 0, false);
      case Probing(long since, int failed, String probing) when probing.equals(threadId) ->
          new Away(since, failed + 1, false);
      case Away _, Probing _ -> state;
    };
  }

  private static OutageState probeBegun(OutageState state, String threadId) {
    return switch (state) {
      case Away(long since, int failed, _) -> new Probing(since, failed, threadId);
      case Available _, Probing _ -> state;
    };
  }

  /** It cost nothing, so the next one asks at once. */
  private static OutageState probeEnded(OutageState state, String threadId) {
    return switch (state) {
      case Probing(long since, int failed, String probing) when probing.equals(threadId) ->
          new Away(since, failed, true);
      case Available _, Away _, Probing _ -> state;
    };
  }

  private static OutageState probeSilent(OutageState state) {
    return switch (state) {
      case Probing(long since, int failed, _) -> new Away(since, failed + 1, false);
      case Available _, Away _ -> state;
    };
  }
}
