package dev.holdfast.tools.files;

import dev.holdfast.tools.files.AllowedFiles.Placement;
import dev.holdfast.tools.files.AllowedFiles.Snapshot;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts back what a change replaced. */
record ChangeUndo(AllowedFiles files, BackupFolder backupFolder) {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeUndo.class);
  private static final int NAME_CHARACTERS = 16;

  /**
   * After a failure in the middle of a change: everything is as it was, and the execution never
   * was. What cannot be put back now stays as it is, with its backup: false.
   */
  boolean revert(ChangeManifest manifest) {
    try {
      for (FileChange change : manifest.changes().reversed()) {
        files.removeLeftover(change.path(), temporary(manifest.execution()));
        Snapshot now = files.snapshot(change.path());
        if (now.state().isLike(change.after()) && !now.state().isLike(change.before())) {
          restore(manifest, change, now);
        }
      }
      files.removeEmpty(manifest.createdFolders());
      backupFolder.discard(manifest.execution());
      return true;
    } catch (FileFailedException | IOException e) {
      LOG.warn("execution {}: could not be reverted: {}", manifest.execution(), e.toString());
      return false;
    }
  }

  /** Makes the file what it was before. */
  void restore(ChangeManifest manifest, FileChange change, Snapshot now)
      throws FileFailedException, IOException {
    switch (change.before()) {
      case FileState.Absent _ -> {
        if (now.status().isPresent()) {
          files.remove(change.path(), now.status().get());
        }
      }
      case FileState.Present before -> {
        try (InputStream kept = backupFolder.blob(manifest.execution(), change.blob())) {
          Placement placement = new Placement(temporary(manifest.execution()), now.status());
          files.put(change.path(), kept, before, placement);
        }
      }
    }
  }

  /** The name of a file of this execution until it takes its place. */
  static String temporary(String execution) {
    return ".holdfast-" + Sha256.of(execution).substring(0, NAME_CHARACTERS) + ".tmp";
  }

  /** For the audit. */
  static String details(ChangeManifest manifest) {
    JsonArray changes = new JsonArray();
    for (FileChange change : manifest.changes()) {
      changes.add(
          new JsonObject()
              .put("path", change.path().shown())
              .put("before", hash(change.before()))
              .put("after", hash(change.after())));
    }
    return new JsonObject().put("tool", manifest.who().tool()).put("changes", changes).encode();
  }

  private static String hash(FileState state) {
    return switch (state) {
      case FileState.Absent _ -> "";
      case FileState.Present present -> present.sha256();
    };
  }
}
