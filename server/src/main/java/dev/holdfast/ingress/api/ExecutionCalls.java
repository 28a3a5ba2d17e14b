package dev.holdfast.ingress.api;

import dev.holdfast.api.CallFailedException;

/** How what finished tool calls have changed on disk is undone. Thread-safe; blocks. */
@FunctionalInterface
public interface ExecutionCalls {
  /** How undoing ended. */
  sealed interface Outcome {
    record Undone(int files) implements Outcome {}

    /** No such call, or nothing of it is kept. */
    record Unknown() implements Outcome {}

    record AlreadyUndone() implements Outcome {}

    /** Somebody else changed a file since; {@code path} is empty when it is not about one file. */
    record Conflict(String path, String why) implements Outcome {}
  }

  /**
   * Puts back what the call changed and writes that into the audit.
   *
   * @param actor for the audit
   * @param force also over what was changed since
   * @throws CallFailedException when the disk refused; asking again is safe
   */
  Outcome rollback(String id, String actor, boolean force)
      throws CallFailedException, InterruptedException;
}
