package dev.holdfast.store.messages;

/**
 * Says of replies that are being planned whether their first post begins at once: then the mark of
 * that post is made together with the plan, and need not be waited for once more. Called on the
 * writer's thread: returns at once, and calls nothing of the store.
 */
public interface FirstPosts {
  /** No reply's does. */
  FirstPosts NONE =
      new FirstPosts() {
        @Override
        public boolean begin(long seq, NewReply reply) {
          return false;
        }

        @Override
        public void forget(long seq) {}
      };

  /**
   * Whether the reply, before which nothing of its thread is open, is posted as soon as it is
   * durable. Who says so posts it or takes it back.
   */
  boolean begin(long seq, NewReply reply);

  /** It was not planned after all. */
  void forget(long seq);
}
