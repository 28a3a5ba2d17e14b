package dev.holdfast.replies;

/** What is done with a reply whose answer was lost. */
public enum OnUnknown {
  /**
   * It is posted once more, and held when that answer is lost too; where the platform drops what it
   * has already got, it is posted again until it is too old.
   */
  RESEND_ONCE,
  /** It is held for the operator: nothing is ever posted twice. */
  HOLD
}
