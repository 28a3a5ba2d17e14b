package dev.holdfast.access;

import dev.holdfast.store.Store;

/** What the store knows of messages. Each question is one indexed read, and blocks for it. */
public interface KnownMessages {
  /** Whether an event of the chat thread was ever accepted. */
  boolean hasThread(String threadId);

  /**
   * Whether the event was accepted and is not forgotten yet.
   *
   * @param source {@code channel:account}
   */
  boolean hasEvent(String source, String dedupeKey);

  static KnownMessages of(Store store) {
    return new KnownMessages() {
      @Override
      public boolean hasThread(String threadId) {
        return store.chatThreads().isKnown(threadId);
      }

      @Override
      public boolean hasEvent(String source, String dedupeKey) {
        return store.inbox().isKnown(source, dedupeKey);
      }
    };
  }
}
