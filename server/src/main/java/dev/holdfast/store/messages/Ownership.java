package dev.holdfast.store.messages;

/** Whose a chat thread is. */
public sealed interface Ownership {
  /** {@code owner} began it; {@code shared}: open to everybody. */
  record Owned(String owner, boolean shared) implements Ownership {}

  /** It has messages and no owner: a platform's, or older than owners are. */
  record OfOperators() implements Ownership {}

  /** Nobody has written there yet. */
  record Fresh() implements Ownership {}
}
