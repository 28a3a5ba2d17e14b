package dev.holdfast.replies;

/** What is done with a reply whose answer was lost. */
public enum OnUnknown {
  /** It is posted once more, and held when that answer is lost too. */
  RESEND_ONCE,
  /** It is held for the operator: nothing is ever posted twice. */
  HOLD
}
