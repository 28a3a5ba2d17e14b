package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.tasks.rules.PlanEvent;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Plans whose steps somebody has to decide: drafts that have none yet, and those that wait for what
 * a failed step means for their goal. Thread-safe.
 */
public final class StepRevisions {
  private final Engine engine;
  private final PlanChanges changes;

  StepRevisions(Engine engine, PlanChanges changes) {
    this.engine = engine;
    this.changes = changes;
  }

  /** Plans without steps, the oldest first. */
  public List<Plan> drafts(int limit) {
    return plans("where state = 'DRAFT' order by no limit ?", limit);
  }

  /** Plans whose steps have ended and whose goal is not judged yet, the oldest first. */
  public List<Plan> reviewed(int limit) {
    return plans("where reviewing = 1 order by no limit ?", limit);
  }

  private List<Plan> plans(String which, int limit) {
    return engine.read(sql -> sql.list(TaskRows::plan, TaskRows.PLANS + which, limit)).stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * Gives a draft its steps, and lets it run. False when it is no draft any more.
   *
   * @param openMax how many tasks may be open
   * @throws StoreException OVERLOADED when too many are
   */
  public boolean accept(String planId, List<Step> steps, int openMax) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Plan> plan = in(tx, planId, PlanState.DRAFT);
          if (plan.isEmpty()) {
            return false;
          }
          changes.add(tx, plan.get(), steps, openMax);
          return changes.move(tx, plan.get(), PlanEvent.ACCEPT, "");
        });
  }

  /** Ends a draft for which there are no steps. */
  public boolean fail(String planId, String reason) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Plan> plan = in(tx, planId, PlanState.DRAFT);
          return plan.isPresent() && changes.move(tx, plan.get(), PlanEvent.FAIL, reason);
        });
  }

  private static Optional<Plan> in(Transaction tx, String planId, PlanState state)
      throws SQLException {
    return PlanChanges.wholePlan(tx, planId).filter(plan -> plan.state() == state);
  }

  /** Ends a plan whose goal was judged as its steps say. */
  public boolean concludeAsSteps(String planId) throws StoreException {
    return engine.call(tx -> judged(tx, planId) && changes.conclude(tx, planId));
  }

  /** Ends a plan whose goal was judged, as it was judged. */
  public boolean conclude(String planId, boolean reached, String reason) throws StoreException {
    return engine.call(
        tx -> {
          if (!judged(tx, planId)) {
            return false;
          }
          PlanEvent end = reached ? PlanEvent.SUCCEED : PlanEvent.FAIL;
          return changes.move(tx, PlanChanges.planOf(tx.sql(), planId), end, reason);
        });
  }

  /**
   * Gives a plan that was judged other steps in place of those that did not succeed. Their needs
   * are among themselves and the steps that did.
   *
   * @param supervised whether a person is asked before unsafe actions from here on
   * @throws StoreException OVERLOADED when too many tasks are open
   */
  public boolean replan(
      String planId, List<Step> steps, String reason, boolean supervised, int openMax)
      throws StoreException {
    return engine.call(
        tx -> {
          if (!judged(tx, planId)) {
            return false;
          }
          tx.sql()
              .update(
                  "update tasks_plans set replans = replans + 1, supervised = max(supervised, ?) where id = ?",
                  supervised ? 1 : 0,
                  planId);
          Plan plan = PlanChanges.planOf(tx.sql(), planId);
          changes.noteReplan(tx, plan, reason);
          changes.add(tx, plan, steps, openMax);
          changes.settle(tx, planId);
          return true;
        });
  }

  private static boolean judged(Transaction tx, String planId) throws SQLException {
    return tx.sql()
            .update("update tasks_plans set reviewing = 0 where id = ? and reviewing = 1", planId)
        > 0;
  }
}
