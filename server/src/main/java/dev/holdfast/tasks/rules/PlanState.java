package dev.holdfast.tasks.rules;

/** What has become of a plan. */
public enum PlanState {
  /** Its steps are not decided yet. */
  DRAFT,

  /** Its steps are decided and none has begun. */
  PENDING,

  RUNNING,
  SUCCEEDED,
  FAILED,
  CANCELLED;

  /** Whether nothing follows. */
  public boolean isTerminal() {
    return switch (this) {
      case DRAFT, PENDING, RUNNING -> false;
      case SUCCEEDED, FAILED, CANCELLED -> true;
    };
  }
}
