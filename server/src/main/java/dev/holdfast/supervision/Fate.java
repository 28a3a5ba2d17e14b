package dev.holdfast.supervision;

/** What becomes of a child that has crashed. */
enum Fate {
  /** It is started again after a short wait. */
  RESTARTED,

  /** It is tried again at a slow pace; the process goes on without it. */
  LEFT_ALONE,

  /** It is not started again, and the process ends. */
  GIVEN_UP
}
