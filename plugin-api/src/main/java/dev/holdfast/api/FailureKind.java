package dev.holdfast.api;

/** What can be done about a failure. */
public enum FailureKind {
  /** Another try, here or elsewhere, may succeed. Counts for a breaker. */
  TRANSIENT,
  /**
   * The request itself is wrong: every further try fails the same way. Never counts for a breaker.
   */
  INVALID,
  /** Nothing helps but an operator: a refused key, a spent quota, a bad configuration. */
  PERMANENT,
  /** A broken invariant or a bug: whoever ran into it is restarted by its supervisor. */
  FATAL
}
