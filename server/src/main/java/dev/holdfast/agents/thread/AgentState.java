package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.RunningTurn;
import java.util.List;

/**
 * Where a thread agent stands. What a state knows is what it holds. {@code reset}: somebody wants a
 * fresh context before the next turn.
 */
sealed interface AgentState {
  /** Its loop does not run yet, or rests for a moment after a crash. */
  record Starting(boolean reset) implements AgentState {}

  /** It has nothing to do. */
  record Idle() implements AgentState {}

  /**
   * Its loop runs and no turn does.
   *
   * @param batch what the next turn is about; empty: what waits in the mailbox
   * @param probe whether the next turn only finds out if a model is back
   */
  record Choosing(List<Incoming> batch, boolean probe, boolean reset) implements AgentState {
    static Choosing fromMailbox(boolean reset) {
      return new Choosing(List.of(), false, reset);
    }
  }

  /**
   * Its loop is in a turn.
   *
   * @param batch the events of the turn that no stop has ended
   * @param joined whether some of them came while it ran
   * @param answered whether a person answered before the turn had begun to wait for it
   * @param closing whether nothing starts after it
   */
  record Running(
      RunningTurn turn,
      List<Incoming> batch,
      boolean joined,
      boolean reset,
      boolean answered,
      boolean closing)
      implements AgentState {}

  /** A turn waits, at its last checkpoint, for a model or for a person. */
  record Parked(List<Incoming> batch, boolean asks, boolean reset) implements AgentState {}

  /** Its loop runs for the last time: nothing starts any more. */
  record Closing() implements AgentState {}

  /** Final: the server stops, and all that is open is left on disk. */
  record Closed() implements AgentState {}

  /** Final: its thread did not react; what comes waits on disk for its successor. */
  record GivenUp(boolean reset) implements AgentState {}

  /** Final: it had nothing to do for long, and a later event needs a new agent. */
  record Gone() implements AgentState {}

  /** For people, where no turn can say what it does. */
  default String words() {
    return switch (this) {
      case Starting _, Idle _, Closed _, Gone _ -> "idle";
      case Choosing _, Running _, Closing _ -> "queued";
      case Parked parked -> parked.asks() ? "waiting for approval" : "parked";
      case GivenUp _ -> "stuck";
    };
  }

  /** The events that it has in hand; they are not in the mailbox. */
  default List<Incoming> inHand() {
    return switch (this) {
      case Choosing choosing -> choosing.batch();
      case Running running -> running.batch();
      case Parked parked -> parked.batch();
      case Starting _, Idle _, Closing _, Closed _, GivenUp _, Gone _ -> List.of();
    };
  }

  /** Whether its turn, or the one that is about to begin, finds out if a model is back. */
  default boolean probes() {
    return switch (this) {
      case Choosing choosing -> choosing.probe();
      case Running running -> running.turn().isProbe();
      case Starting _, Idle _, Parked _, Closing _, Closed _, GivenUp _, Gone _ -> false;
    };
  }

  /** Whether its loop runs. */
  default boolean isBusy() {
    return switch (this) {
      case Choosing _, Running _, Closing _ -> true;
      case Starting _, Idle _, Parked _, Closed _, GivenUp _, Gone _ -> false;
    };
  }
}
