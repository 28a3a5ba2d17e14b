package dev.holdfast;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.ingress.api.ExecutionCalls;
import dev.holdfast.tools.files.Backups;
import dev.holdfast.tools.files.Backups.RolledBack;

/** What the API asks of the backups of the file tools. */
record Rollbacks(Backups backups) implements ExecutionCalls {
  @Override
  public Outcome rollback(String id, String actor, boolean force)
      throws CallFailedException, InterruptedException {
    return switch (backups.rollback(id, actor, force)) {
      case RolledBack.Undone(int files) -> new Outcome.Undone(files);
      case RolledBack.Unknown() -> new Outcome.Unknown();
      case RolledBack.AlreadyUndone() -> new Outcome.AlreadyUndone();
      case RolledBack.Conflict(String path, String why) -> new Outcome.Conflict(path, why);
    };
  }
}
