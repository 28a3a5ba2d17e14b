package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.RunningTurn;
import java.util.List;

/** What can happen to a thread agent. */
sealed interface AgentEvent {
  /** Its loop may run. */
  record Started() implements AgentEvent {}

  /** There is something in the mailbox, or on disk behind it. */
  record WorkCame() implements AgentEvent {}

  record ResetAsked() implements AgentEvent {}

  /** The loop has made the context a fresh one, or the disk refuses that. */
  record ResetDone() implements AgentEvent {}

  /** A parked turn may try; {@code probe}: to find out whether a model is back. */
  record Resumed(boolean probe) implements AgentEvent {}

  record PersonAnswered() implements AgentEvent {}

  /** Somebody said stop when the inbox had come to {@code place}: nothing later is touched. */
  record StopSaid(long place) implements AgentEvent {}

  /** The loop has a batch and a turn for it. */
  record TurnBegun(RunningTurn turn, List<Incoming> batch) implements AgentEvent {}

  /** Messages that came meanwhile have become a part of the turn. */
  record Joined(List<Incoming> more) implements AgentEvent {}

  record TurnEnded(TurnOutcome outcome) implements AgentEvent {}

  /** The loop found nothing to do. */
  record LoopRested() implements AgentEvent {}

  record LoopCrashed() implements AgentEvent {}

  /** Its thread does not react, and nothing that it does counts any more. */
  record ThreadGivenUp() implements AgentEvent {}

  /** Its place is wanted, and its mailbox is empty. */
  record LeaveAsked() implements AgentEvent {}

  /** The server stops; {@code now}: a turn that runs is cut off at its next checkpoint. */
  record CloseAsked(boolean now) implements AgentEvent {}
}
