package dev.holdfast.tools.files;

import dev.holdfast.api.ToolContext;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tools.files.AllowedFiles.Placement;
import dev.holdfast.tools.files.AllowedFiles.Snapshot;
import dev.holdfast.tools.files.ChangeManifest.Stage;
import dev.holdfast.tools.files.ChangeTask.After;
import dev.holdfast.tools.files.ChangeTask.OldFile;
import dev.holdfast.tools.files.ChangeTask.Plan;
import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SyncFailedException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes files for tool calls: each call once, whatever crashes, and so that it can be undone.
 * Kept ▸ changed ▸ told to the audit ▸ done: each step is on disk before the next. Thread-safe.
 */
final class ChangeExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeExecutor.class);
  private static final int CALL_SHOWN = 12;

  private final AllowedFiles files;
  private final BackupFolder backupFolder;
  private final ChangeServices services;
  private final FileLocks locks;
  private final ChangeUndo undo;

  /**
   * How a call ended that did what it was asked for.
   *
   * @param execution the name under which it can be undone
   */
  record Done(String summary, String execution) {}

  ChangeExecutor(
      AllowedFiles files, BackupFolder backupFolder, FileLocks locks, ChangeServices services) {
    this.files = files;
    this.backupFolder = backupFolder;
    this.locks = locks;
    this.services = services;
    this.undo = new ChangeUndo(files, backupFolder);
  }

  /**
   * Carries a task out, or finds that an earlier run of the same call has. Once the old state is
   * kept, an interrupt does not cut it short.
   *
   * @throws FileFailedException when nothing was changed, or what was changed has been taken back
   */
  Done run(ToolContext context, ChangeTask task)
      throws FileFailedException, StoreException, IOException, InterruptedException {
    try (FileLocks.Held _ = locks.take(context.key(), task.paths())) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return runLocked(context, task);
    } catch (SyncFailedException e) {
      services.fatal().end("files: " + e.getMessage());
      throw e;
    }
  }

  private Done runLocked(ToolContext context, ChangeTask task)
      throws FileFailedException, StoreException, IOException {
    String call = Sha256.of(task.tool() + "\n" + task.arguments());
    String execution = context.key();
    Optional<ChangeManifest> earlier = backupFolder.find(execution);
    if (earlier.isPresent() && !earlier.get().call().equals(call)) {
      // A thread that began anew gives its keys a second time, to other calls.
      execution += "-" + call.substring(0, CALL_SHOWN);
      earlier = backupFolder.find(execution);
    }
    if (earlier.isPresent()) {
      Optional<Done> done = resume(earlier.get());
      if (done.isPresent()) {
        return done.get();
      }
    }
    ChangeManifest.Who who =
        new ChangeManifest.Who(
            task.tool(), context.eventId(), context.threadId(), context.sender());
    return execute(new Call(execution, call, who), task);
  }

  private record Call(String execution, String hash, ChangeManifest.Who who) {}

  /** Empty when the earlier run came to nothing, so that this one is the first. */
  private Optional<Done> resume(ChangeManifest earlier)
      throws FileFailedException, StoreException, IOException {
    return switch (earlier.stage()) {
      case DONE -> Optional.of(new Done(earlier.summary(), earlier.execution()));
      case UNDONE ->
          throw FileFailedException.refused(
              "this change was made and then undone by " + earlier.undoneBy());
      case PREPARED -> settle(earlier);
    };
  }

  /** Finds out how far a run came that was cut off. */
  private Optional<Done> settle(ChangeManifest earlier)
      throws FileFailedException, StoreException, IOException {
    int before = 0;
    int after = 0;
    for (FileChange change : earlier.changes()) {
      files.removeLeftover(change.path(), ChangeUndo.temporary(earlier.execution()));
      FileState now = files.snapshot(change.path()).state();
      if (now.isLike(change.after())) {
        after++;
      } else if (now.isLike(change.before())) {
        before++;
      } else {
        throw new FileFailedException(
            Why.CHANGED,
            "interrupted, outcome unknown; check before repeating: "
                + change.path().shown()
                + " has since been changed by somebody else");
      }
    }
    if (after == 0) {
      backupFolder.discard(earlier.execution());
      return Optional.empty();
    }
    if (before > 0) {
      if (!undo.revert(earlier)) { // half of a move between two disks
        throw new FileFailedException(
            Why.PASSING, "interrupted midway, and could not be reverted yet");
      }
      return Optional.empty();
    }
    return Optional.of(finish(earlier));
  }

  private Done execute(Call call, ChangeTask task)
      throws FileFailedException, StoreException, IOException {
    ChangeManifest manifest;
    List<OldFile> old = new ArrayList<>();
    Plan plan;
    try (BackupFolder.Draft draft = backupFolder.draft(call.execution())) {
      for (AllowedPath path : task.paths()) {
        old.add(keep(path, draft));
      }
      plan = task.planner().plan(old);
      manifest = manifest(call, old, plan);
      draft.publish(manifest);
    }
    try {
      apply(manifest, old, plan);
      return finish(manifest);
    } catch (SyncFailedException e) {
      throw e;
    } catch (FileFailedException | StoreException | IOException e) {
      undo.revert(manifest);
      throw e;
    }
  }

  private OldFile keep(AllowedPath path, BackupFolder.Draft draft)
      throws FileFailedException, IOException {
    String[] blob = {""};
    Snapshot snapshot = files.snapshot(path, bytes -> blob[0] = draft.keep(bytes));
    return new OldFile(path, snapshot, draft.blob(blob[0]), blob[0]);
  }

  private ChangeManifest manifest(Call call, List<OldFile> old, Plan plan)
      throws FileFailedException, IOException {
    List<FileChange> changes = new ArrayList<>();
    Set<AllowedPath> createdFolders = new LinkedHashSet<>();
    for (int i = 0; i < old.size(); i++) {
      OldFile one = old.get(i);
      FileState after = plan.after().get(i).state(one, old);
      changes.add(new FileChange(one.path(), one.snapshot().state(), after, one.blob()));
      if (!after.isLike(new FileState.Absent())) {
        createdFolders.addAll(files.allowed().missingFolders(one.path()));
      }
    }
    return new ChangeManifest(
        call.execution(),
        call.hash(),
        Stage.PREPARED,
        call.who(),
        services.time().now(),
        plan.summary(),
        changes,
        List.copyOf(createdFolders),
        "");
  }

  private void apply(ChangeManifest manifest, List<OldFile> old, Plan plan)
      throws FileFailedException, IOException {
    if (movedInOneStep(old, plan)) {
      return;
    }
    for (int i = 0; i < old.size(); i++) {
      OldFile own = old.get(i);
      After after = plan.after().get(i);
      Optional<FileStatus> now = own.snapshot().status();
      switch (after.state(own, old)) {
        case FileState.Absent _ -> files.remove(own.path(), now.orElseThrow());
        case FileState.Present wanted -> {
          Placement placement = new Placement(ChangeUndo.temporary(manifest.execution()), now);
          try (InputStream bytes = source(after, manifest, old)) {
            files.put(own.path(), bytes, wanted, placement);
          }
        }
      }
    }
  }

  private InputStream source(After after, ChangeManifest manifest, List<OldFile> old)
      throws IOException {
    return switch (after) {
      case After.Gone _ -> InputStream.nullInputStream();
      case After.Written(byte[] bytes) -> new ByteArrayInputStream(bytes);
      case After.MovedFrom(int index) ->
          backupFolder.blob(manifest.execution(), old.get(index).blob());
    };
  }

  /** False when nothing is moved, or the two places are on different disks. */
  private boolean movedInOneStep(List<OldFile> old, Plan plan)
      throws FileFailedException, IOException {
    for (int i = 0; i < old.size(); i++) {
      if (plan.after().get(i) instanceof After.MovedFrom(int index)) {
        OldFile from = old.get(index);
        try {
          files.move(from.path(), from.snapshot().status().orElseThrow(), old.get(i).path());
          return true;
        } catch (FileFailedException e) {
          if (e.why() != Why.OTHER_DISK) {
            throw e;
          }
        }
      }
    }
    return false;
  }

  /** The change is in place: others are told, and then it is so. */
  private Done finish(ChangeManifest manifest) throws StoreException {
    services
        .trail()
        .append(
            new AuditEntry(
                "tool.change",
                manifest.execution(),
                manifest.who().eventId(),
                manifest.who().threadId(),
                manifest.who().sender(),
                ChangeUndo.details(manifest)));
    try {
      backupFolder.update(manifest.as(Stage.DONE, ""));
    } catch (SyncFailedException e) {
      services.fatal().end("files: " + e.getMessage());
    } catch (IOException e) {
      // As it stands it says "perhaps": another run finds that the change is in place.
      LOG.warn("execution {}: could not be marked as done: {}", manifest.execution(), e.toString());
    }
    return new Done(manifest.summary(), manifest.execution());
  }
}
