package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.MemoryBudget;
import dev.holdfast.agents.turn.Budgets;
import java.time.Instant;

/** What a thread agent asks of its surroundings. */
public interface AgentHost {
  /**
   * What all agents share.
   *
   * @param permits one for each turn that may run at the same time
   * @param freshness whether an event came a moment ago, and is not one of those that have waited
   * @param stuckTurns who frees turns that do not end
   * @param mailboxes what all mailboxes may hold together
   * @param budgets what people and threads may still spend
   */
  record Shared(
      TurnPermits permits,
      Freshness freshness,
      StuckTurns stuckTurns,
      MemoryBudget mailboxes,
      Budgets budgets) {}

  Shared shared();

  /** The agent has nothing to do for now. */
  void settled(ThreadAgent agent);

  /** A turn of the thread waits for a model; the host will resume it. */
  void parked(Incoming head);

  /**
   * A turn of the thread waits for a person's word, until then at most; the host will resume it.
   */
  void asked(String threadId, Instant until);

  /** A turn that was parked does not wait any more. */
  void gone(Incoming head);

  /** The number of the outage of now. */
  long outage();

  /** Whether no turn waits for a model any more, or all of them may try. */
  boolean modelsAreBack();

  /** A model has answered: whoever waits for one may try. */
  void modelAnswered();

  /** Obeys a command that does not wait its turn. Blocks until it is obeyed. */
  void obey(Incoming incoming);
}
