package dev.holdfast.supervision;

/** What a supervisor does about a child that has crashed. */
public enum Directive {
  /** It goes on by itself; no other child is touched. */
  RESUME,

  /** It is started again, and with it whom its group's strategy names. */
  RESTART,

  /** It is not started again. */
  STOP,

  /** The group above decides: it starts all of its children again. */
  ESCALATE
}
