package dev.holdfast.supervision;

/** What is missing while a supervised thread does not run. */
public enum Criticality {
  /** Nothing is accepted or answered without it: the process ends and is started anew. */
  CRITICAL,

  /** Messages are accepted and answered, but some work waits that people wait for. */
  IMPORTANT,

  /** It serves one account, extension or agent; the others go on. */
  RECOVERABLE,

  /** Nobody waits for what it does. */
  NON_CRITICAL
}
