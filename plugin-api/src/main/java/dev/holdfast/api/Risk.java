package dev.holdfast.api;

/** What a tool call can do to the world, for whoever decides whether it may run. */
public enum Risk {
  /** It looks. */
  LOW,
  /** It changes what can be changed back. */
  MEDIUM,
  /** It may do what cannot be undone: with {@code tools.autonomy: supervised} a person is asked. */
  HIGH
}
