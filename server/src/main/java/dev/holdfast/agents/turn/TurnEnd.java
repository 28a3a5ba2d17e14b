package dev.holdfast.agents.turn;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.messages.EventState;
import org.jspecify.annotations.Nullable;

/**
 * How the events of a turn end.
 *
 * @param code what went wrong, for programs; null when nothing did
 * @param reason the same for people, and why an answer is elsewhere; else empty
 */
public record TurnEnd(EventState outcome, @Nullable FailureCode code, String reason) {
  public static final TurnEnd ANSWERED = new TurnEnd(EventState.ANSWERED, null, "");

  public static TurnEnd of(EventState outcome, Failure failure) {
    return new TurnEnd(outcome, failure.code(), failure.summary());
  }

  public static TurnEnd deadLettered(FailureCode code, String reason) {
    return new TurnEnd(EventState.DEAD_LETTERED, code, reason);
  }
}
