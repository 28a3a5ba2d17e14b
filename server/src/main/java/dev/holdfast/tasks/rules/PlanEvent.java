package dev.holdfast.tasks.rules;

/** What happens to a plan. */
public enum PlanEvent {
  /** Its steps are decided. */
  ACCEPT,

  /** Its first task is given out. */
  START,

  SUCCEED,
  FAIL,
  CANCEL
}
