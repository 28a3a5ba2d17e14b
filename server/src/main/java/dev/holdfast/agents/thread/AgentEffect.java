package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.RunningTurn;
import java.util.List;

/** What a move of a thread agent asks for. */
sealed interface AgentEffect {
  record RunLoop() implements AgentEffect {}

  record RunLoopLater() implements AgentEffect {}

  /** Forget the mailbox: disk knows better. */
  record Reread() implements AgentEffect {}

  /** Interrupt the turn; what came up to {@code place} ends with it. */
  record StopTurn(RunningTurn turn, long place) implements AgentEffect {}

  /** End these events on disk as stopped by a person. */
  record End(List<Incoming> events) implements AgentEffect {}

  /** End on disk, as stopped by a person, what the next turn would have been about. */
  record EndNext() implements AgentEffect {}

  /** Interrupt the turn; it goes on at the next start. */
  record CutOff(RunningTurn turn) implements AgentEffect {}

  /** Resume it when a model is back. */
  record AwaitModel(Incoming head) implements AgentEffect {}

  /** Resume it when the question to a person is void. */
  record AwaitPerson() implements AgentEffect {}

  /** The turn that was to find out whether a model is back has ended without an answer to that. */
  record ProbeEnded() implements AgentEffect {}

  /** A parked turn waits no more. */
  record AwaitNothing(Incoming head) implements AgentEffect {}
}
