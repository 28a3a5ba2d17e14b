package dev.holdfast.resilience;

import dev.holdfast.resilience.BreakerEvent.Asked;
import dev.holdfast.resilience.BreakerEvent.BlockedByHand;
import dev.holdfast.resilience.BreakerEvent.Elapsed;
import dev.holdfast.resilience.BreakerEvent.Failed;
import dev.holdfast.resilience.BreakerEvent.Neutral;
import dev.holdfast.resilience.BreakerEvent.PartFailed;
import dev.holdfast.resilience.BreakerEvent.Reset;
import dev.holdfast.resilience.BreakerEvent.Succeeded;
import dev.holdfast.resilience.BreakerEvent.Tripped;
import dev.holdfast.resilience.BreakerState.Blocked;
import dev.holdfast.resilience.BreakerState.Closed;
import dev.holdfast.resilience.BreakerState.HalfOpen;
import dev.holdfast.resilience.BreakerState.Open;
import dev.holdfast.resilience.BreakerState.Trying;

/** The breaker's rules as one pure function, so that a test can try every event in every state. */
final class BreakerMoves {
  private static final double JITTER = 0.2;

  private BreakerMoves() {}

  /**
   * When something happens.
   *
   * @param jitter from 0 to 1: how much of the jitter a re-opening that happens now gets
   */
  record Moment(long nanos, double jitter) {
    boolean isBefore(long otherNanos) {
      return nanos - otherNanos < 0;
    }
  }

  static BreakerState next(
      BreakerState state, BreakerEvent event, Moment now, BreakerSettings settings) {
    return switch (event) {
      case Asked(long trialEnds) -> asked(state, trialEnds, now);
      case Succeeded(long epoch) -> epoch == state.epoch() ? succeeded(state, settings) : state;
      case Failed(long epoch) -> epoch == state.epoch() ? failed(state, now, settings) : state;
      case PartFailed(long epoch, boolean enough) ->
          epoch == state.epoch() ? partFailed(state, enough, now, settings) : state;
      case Neutral(long epoch) -> epoch == state.epoch() ? neutral(state) : state;
      case Elapsed(long epoch) -> epoch == state.epoch() ? elapsed(state, now) : state;
      case Tripped() -> tripped(state, now, settings);
      case BlockedByHand() -> blocked(state);
      case Reset() -> new Closed(state.epoch() + 1, 0);
    };
  }

  /** Whether the call whose {@link Asked} led from one state to the other is let through. */
  static boolean admits(BreakerState before, BreakerState after) {
    return switch (after) {
      case Closed _ -> true;
      case Trying trying -> trying.epoch() != before.epoch();
      case Open _, Blocked _, HalfOpen _ -> false;
    };
  }

  private static BreakerState asked(BreakerState state, long trialEnds, Moment now) {
    return switch (state) {
      case Closed _, Blocked _ -> state;
      case Open open when now.isBefore(open.untilNanos()) -> state;
      case Open(long epoch, int failures, int opens, _) ->
          new Trying(epoch + 1, failures, opens, 0, trialEnds);
      case HalfOpen(long epoch, int failures, int opens, int successes) ->
          new Trying(epoch + 1, failures, opens, successes, trialEnds);
      case Trying trying when now.isBefore(trying.trialEndsNanos()) -> state; // one at a time
      case Trying(long epoch, int failures, int opens, int successes, _) ->
          new Trying(epoch + 1, failures, opens, successes, trialEnds); // the last one got lost
    };
  }

  private static BreakerState succeeded(BreakerState state, BreakerSettings settings) {
    return switch (state) {
      case Closed(long epoch, _) -> new Closed(epoch, 0);
      case Trying trying when trying.successes() + 1 >= settings.successThreshold() ->
          new Closed(trying.epoch() + 1, 0);
      case Trying(long epoch, int failures, int opens, int successes, _) ->
          new HalfOpen(epoch + 1, failures, opens, successes + 1);
      case Open _, Blocked _, HalfOpen _ -> state; // no permit has this epoch
    };
  }

  private static BreakerState failed(BreakerState state, Moment now, BreakerSettings settings) {
    return switch (state) {
      case Closed(long epoch, int failures) when failures + 1 < settings.failureThreshold() ->
          new Closed(epoch, failures + 1);
      case Closed(long epoch, int failures) -> open(epoch, failures + 1, 1, now, settings);
      case Trying(long epoch, int failures, int opens, _, _) ->
          open(epoch, failures + 1, opens + 1, now, settings);
      case Open _, Blocked _, HalfOpen _ -> state; // no permit has this epoch
    };
  }

  /**
   * One part that fails says nothing of the others, unless nothing at all has succeeded since the
   * breaker opened.
   */
  private static BreakerState partFailed(
      BreakerState state, boolean enough, Moment now, BreakerSettings settings) {
    return switch (state) {
      case Closed(long epoch, int failures) when enough ->
          open(epoch, failures + 1, 1, now, settings);
      case Trying trying when enough || trying.successes() == 0 -> failed(trying, now, settings);
      case Closed _, Trying _ -> neutral(state);
      case Open _, Blocked _, HalfOpen _ -> state; // no permit has this epoch
    };
  }

  private static BreakerState neutral(BreakerState state) {
    return switch (state) {
      case Trying(long epoch, int failures, int opens, int successes, _) ->
          new HalfOpen(epoch + 1, failures, opens, successes);
      case Closed _, Open _, Blocked _, HalfOpen _ -> state;
    };
  }

  private static BreakerState elapsed(BreakerState state, Moment now) {
    return switch (state) {
      case Open open when now.isBefore(open.untilNanos()) -> state;
      case Open(long epoch, int failures, int opens, _) ->
          new HalfOpen(epoch + 1, failures, opens, 0);
      case Closed _, Blocked _, HalfOpen _, Trying _ -> state;
    };
  }

  private static BreakerState blocked(BreakerState state) {
    return switch (state) {
      case Blocked _ -> state;
      case Closed _, Open _, HalfOpen _, Trying _ ->
          new Blocked(state.epoch() + 1, state.failures(), Math.max(1, state.opens()));
    };
  }

  private static BreakerState tripped(BreakerState state, Moment now, BreakerSettings settings) {
    return switch (state) {
      case Blocked _ -> state;
      case Closed(long epoch, int failures) -> open(epoch, failures, 1, now, settings);
      case Open(long epoch, int failures, int opens, _) ->
          open(epoch, failures, opens, now, settings); // the wait begins anew
      case HalfOpen(long epoch, int failures, int opens, _) ->
          open(epoch, failures, opens + 1, now, settings);
      case Trying(long epoch, int failures, int opens, _, _) ->
          open(epoch, failures, opens + 1, now, settings);
    };
  }

  /**
   * Jitter shortens the wait, so that it also spreads what has reached the cap. The first wait is
   * exact.
   */
  private static Open open(
      long epoch, int failures, int opens, Moment now, BreakerSettings settings) {
    double share = opens == 1 ? 1 : 1 - JITTER * now.jitter();
    long wait = (long) (settings.backoff().after(opens).toNanos() * share);
    return new Open(epoch + 1, failures, opens, now.nanos() + wait);
  }
}
