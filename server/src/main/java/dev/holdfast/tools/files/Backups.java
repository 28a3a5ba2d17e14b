package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tools.files.AllowedFiles.Snapshot;
import dev.holdfast.tools.files.ChangeManifest.Stage;
import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.IOException;
import java.io.SyncFailedException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what tool calls replaced and undoes their changes. Thread-safe. */
public final class Backups {
  private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
  private static final Duration SWEEP_PAUSE = Duration.ofHours(1);

  private final AllowedFiles files;
  private final BackupFolder backupFolder;
  private final FileLocks locks;
  private final ChangeServices services;
  private final ChangeUndo undo;

  /** How an attempt to undo an execution ended. */
  public sealed interface RolledBack {
    /** {@code files}: how many are again what they were. */
    record Undone(int files) implements RolledBack {}

    /** Nothing is kept of such an execution. */
    record Unknown() implements RolledBack {}

    record AlreadyUndone() implements RolledBack {}

    /** Nothing was undone from this file on; {@code why} is a sentence for people. */
    record Conflict(String path, String why) implements RolledBack {}
  }

  Backups(AllowedFiles files, BackupFolder backupFolder, FileLocks locks, ChangeServices services) {
    this.files = files;
    this.backupFolder = backupFolder;
    this.locks = locks;
    this.services = services;
    this.undo = new ChangeUndo(files, backupFolder);
  }

  /**
   * Undoes a tool call: what it wrote, made, deleted and moved is what it was before. Durable on
   * return. Blocks; an interrupt does not cut it short once it has begun. A second call after a
   * crash in the middle goes on.
   *
   * @param execution the key of the call, as audit and stories name it
   * @param actor who wants it, for the audit
   * @param force whether files that were changed since are replaced too
   * @throws CallFailedException when the disk or the audit refused; asking again is safe
   */
  public RolledBack rollback(String execution, String actor, boolean force)
      throws CallFailedException, InterruptedException {
    try {
      Optional<ChangeManifest> found = backupFolder.find(execution);
      if (found.isEmpty()) {
        return new RolledBack.Unknown();
      }
      List<AllowedPath> paths = found.get().changes().stream().map(FileChange::path).toList();
      // First the files, then the backups: the order in which a change locks them.
      try (FileLocks.Held _ = locks.take(execution, paths)) {
        return rollbackInUse(execution, actor, force);
      }
    } catch (FileFailedException e) {
      if (e.why() == Why.DAMAGED) {
        return new RolledBack.Conflict("", e.failure().message());
      }
      throw e;
    } catch (SyncFailedException e) {
      services.fatal().end("files: " + e.getMessage());
      throw new FileFailedException(Why.PASSING, "the disk did not confirm the change");
    } catch (IOException e) {
      LOG.warn("execution {}: not undone: {}", execution, e.toString());
      throw new FileFailedException(Why.PASSING, "the disk refused: " + e.getMessage());
    }
  }

  private RolledBack rollbackInUse(String execution, String actor, boolean force)
      throws CallFailedException, IOException, InterruptedException {
    Lock use = backupFolder.inUse();
    use.lockInterruptibly();
    try {
      // A call that failed meanwhile has left nothing.
      Optional<ChangeManifest> found = backupFolder.find(execution);
      return found.isEmpty() ? new RolledBack.Unknown() : rollbackLocked(found.get(), actor, force);
    } finally {
      use.unlock();
    }
  }

  private RolledBack rollbackLocked(ChangeManifest manifest, String actor, boolean force)
      throws CallFailedException, IOException {
    if (manifest.stage() == Stage.UNDONE) {
      return new RolledBack.AlreadyUndone();
    }
    backupFolder.requireIntact(manifest);
    List<Due> due = new ArrayList<>();
    for (FileChange change : manifest.changes().reversed()) {
      Snapshot now;
      try {
        files.removeLeftover(change.path(), ChangeUndo.temporary(manifest.execution()));
        now = files.snapshot(change.path());
      } catch (FileFailedException e) {
        return conflict(change, e.failure().message());
      }
      if (now.state().isLike(change.before())) {
        continue;
      }
      if (!force && !now.state().isLike(change.after())) {
        return conflict(change, "it has since been changed by somebody else");
      }
      due.add(new Due(change, now));
    }
    for (Due each : due) {
      try {
        undo.restore(manifest, each.change, each.now);
      } catch (FileFailedException e) {
        return conflict(each.change, e.failure().message());
      }
    }
    files.removeEmpty(manifest.createdFolders());
    audit(manifest, actor);
    backupFolder.update(manifest.as(Stage.UNDONE, actor));
    LOG.info("execution {}: undone by {}, {} files", manifest.execution(), actor, due.size());
    return new RolledBack.Undone(manifest.changes().size());
  }

  private record Due(FileChange change, Snapshot now) {}

  private static RolledBack conflict(FileChange change, String why) {
    return new RolledBack.Conflict(change.path().shown(), why);
  }

  private void audit(ChangeManifest manifest, String actor) throws CallFailedException {
    services
        .trail()
        .append(
            new AuditEntry(
                "tool.rolled_back",
                manifest.execution(),
                manifest.who().eventId(),
                manifest.who().threadId(),
                actor,
                ChangeUndo.details(manifest)));
  }

  /** Keeps the backups within their limits, until it is interrupted. */
  public void run() throws InterruptedException {
    clearLeftovers();
    while (true) {
      sweep();
      services.time().sleep(SWEEP_PAUSE);
    }
  }

  /** Half written files of calls that a crash cut off and that nobody will run again. */
  void clearLeftovers() throws InterruptedException {
    try {
      for (ChangeManifest cutOff : backupFolder.prepared()) {
        List<AllowedPath> paths = cutOff.changes().stream().map(FileChange::path).toList();
        try (FileLocks.Held _ = locks.take(cutOff.execution(), paths)) {
          for (AllowedPath path : paths) {
            files.removeLeftover(path, ChangeUndo.temporary(cutOff.execution()));
          }
        }
      }
    } catch (FileFailedException | IOException | UncheckedIOException e) {
      LOG.warn("backups: a leftover could not be removed: {}", e.toString());
    }
  }

  /** Removes what is older or more than is to be kept. */
  void sweep() {
    try {
      int gone = backupFolder.sweep(services.time().now(), 0);
      if (gone > 0) {
        LOG.info("backups: {} removed", gone);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("backups: could not be cleaned up: {}", e.toString());
    }
  }
}
