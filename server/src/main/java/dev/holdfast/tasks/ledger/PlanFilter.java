package dev.holdfast.tasks.ledger;

/** Which plans a list holds. */
public enum PlanFilter {
  ALL(""),
  OPEN(" and ended_at = 0"),

  /** A person is asked for something. */
  AWAITING_INPUT(
      " and ended_at = 0 and exists (select 1 from tasks_tasks where plan = tasks_plans.id"
          + " and ended_at = 0 and state = 'AWAITING_INPUT')"),
  SUCCEEDED(" and ended_at > 0 and state = 'SUCCEEDED'"),
  FAILED(" and ended_at > 0 and state = 'FAILED'"),
  CANCELLED(" and ended_at > 0 and state = 'CANCELLED'");

  private final String condition;

  PlanFilter(String condition) {
    this.condition = condition;
  }

  /** On the rows of plans, to stand behind another condition. */
  String condition() {
    return condition;
  }
}
