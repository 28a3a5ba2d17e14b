package dev.holdfast.ingress;

import dev.holdfast.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What finished tool calls have changed on disk, and how that is undone. Thread-safe; blocks. */
public interface ExecutionCalls {
  /** A call that has changed files, as far as its backup is still kept. */
  record Execution(String id, List<String> files, boolean undone) {}

  /** How undoing ended. */
  sealed interface Outcome {
    record Undone(int files) implements Outcome {}

    /** No such call, or nothing of it is kept. */
    record Unknown() implements Outcome {}

    record AlreadyUndone() implements Outcome {}

    /** Somebody else changed a file since; nothing was touched. */
    record Conflict(String path, String why) implements Outcome {}
  }

  Optional<Execution> find(String id) throws IOException;

  /**
   * Puts back what the call changed, all of it or nothing, and writes that into the audit.
   *
   * @param actor for the audit
   * @param force also over what was changed since
   */
  Outcome rollback(String id, String actor, boolean force)
      throws StoreException, IOException, InterruptedException;

  /** Of a server whose tools change no files. */
  static ExecutionCalls none() {
    return new ExecutionCalls() {
      @Override
      public Optional<Execution> find(String id) {
        return Optional.empty();
      }

      @Override
      public Outcome rollback(String id, String actor, boolean force) {
        return new Outcome.Unknown();
      }
    };
  }
}
