package dev.holdfast.ingress.api;

import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.Approvals;
import java.util.Optional;

/**
 * Finds a call that waits for a yes, then decides it. Another may decide it in between, so only
 * what {@link #decide} returns counts. The agent that waits is woken in this process alone: for
 * several processes an implementation has to reach the one that owns the chat thread. Thread-safe.
 */
interface ApprovalDecisions {
  Optional<Approval> find(String id);

  /** A person's word; false when the call does not wait any more. */
  boolean decide(String id, boolean yes, String by) throws StoreException;

  static ApprovalDecisions of(Approvals approvals, Orchestrator orchestrator) {
    return new ApprovalDecisions() {
      @Override
      public Optional<Approval> find(String id) {
        return approvals.find(id);
      }

      @Override
      public boolean decide(String id, boolean yes, String by) throws StoreException {
        return orchestrator.decide(id, yes, by);
      }
    };
  }
}
