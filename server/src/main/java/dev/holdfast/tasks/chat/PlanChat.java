package dev.holdfast.tasks.chat;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.run.Plans;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;

/** What people read of the plans of their chat thread, and say to them. Thread-safe; blocks. */
public final class PlanChat {
  private static final int SHOWN = 10;
  private static final int CODE_LENGTH = 8;
  private static final int CODE_MIN = 4;
  private static final int GOAL_SHOWN = 120;

  private final Plans plans;

  public PlanChat(Plans plans) {
    this.plans = plans;
  }

  /** The plans that go on and the newest that have ended. */
  public String list(String threadId) {
    List<Plan> newest =
        plans.ledger().list(ThreadReader.OPERATOR, threadId, false, Long.MAX_VALUE, SHOWN);
    if (newest.isEmpty()) {
      return "This conversation has no plans.";
    }
    StringBuilder text = new StringBuilder();
    for (Plan plan : newest) {
      text.append(text.isEmpty() ? "" : "\n").append(line(plan));
    }
    return text.toString();
  }

  private String line(Plan plan) {
    List<Task> tasks = plans.ledger().tasksOf(plan.id());
    long done = tasks.stream().filter(task -> task.state().isTerminal()).count();
    String goal = plan.goal().lines().findFirst().orElse("");
    return "%s  %s, %d of %d steps done: %s"
        .formatted(
            code(plan),
            plan.state().name().toLowerCase(Locale.ROOT),
            done,
            tasks.size(),
            goal.length() <= GOAL_SHOWN ? goal : goal.substring(0, GOAL_SHOWN) + " …");
  }

  private static String code(Plan plan) {
    return plan.id().substring(plan.id().length() - CODE_LENGTH);
  }

  /**
   * Ends one plan.
   *
   * @param code the end of its id; empty for the only one that goes on
   */
  public String cancel(String threadId, String code, String eventId, String person)
      throws StoreException {
    List<Plan> found =
        plans
            .ledger()
            .list(ThreadReader.OPERATOR, threadId, code.isEmpty(), Long.MAX_VALUE, 1000)
            .stream()
            .filter(plan -> plan.id().endsWith(code.toLowerCase(Locale.ROOT)))
            .toList();
    if (!code.isEmpty() && code.length() < CODE_MIN) {
      return "A code has %d characters; /plans shows them.".formatted(CODE_LENGTH);
    }
    if (found.size() != 1) {
      return found.isEmpty()
          ? code.isEmpty()
              ? "No plan of this conversation is running."
              : "This conversation has no plan " + code + "; /plans shows them."
          : "More than one plan fits. Send /cancel with one of these codes:\n" + list(threadId);
    }
    return cancel(found.getFirst(), eventId, person);
  }

  private String cancel(Plan plan, String eventId, String person) throws StoreException {
    AuditEntry entry =
        new AuditEntry(
            "plan.cancelled",
            "",
            eventId,
            plan.origin().threadId(),
            "person:" + person,
            new JsonObject().put("plan_id", plan.id()).encode());
    if (plans.cancel(plan.id(), "cancelled in the chat", entry)) {
      plans.ledger().told(plan.id());
      return "Plan " + code(plan) + " is cancelled.";
    }
    PlanState now = plans.ledger().find(plan.id()).map(Plan::state).orElse(plan.state());
    return now == PlanState.CANCELLED
        ? "Plan " + code(plan) + " is cancelled." // a repeat after a crash
        : "Plan %s has already %s."
            .formatted(code(plan), now == PlanState.SUCCEEDED ? "succeeded" : "failed");
  }
}
