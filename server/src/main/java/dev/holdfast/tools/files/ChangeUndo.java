package dev.holdfast.tools.files;

import dev.holdfast.tools.files.AllowedFiles.Placing;
import dev.holdfast.tools.files.AllowedFiles.Seen;
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
  boolean takeBack(ChangeManifest manifest) {
    try {
      for (FileChange change : manifest.changes().reversed()) {
        files.removeLeftover(change.spot(), temporary(manifest.execution()));
        Seen now = files.see(change.spot());
        if (now.state().isLike(change.after()) && !now.state().isLike(change.before())) {
          restore(manifest, change, now);
        }
      }
      files.removeEmpty(manifest.made());
      backupFolder.discard(manifest.execution());
      return true;
    } catch (FileFailedException | IOException e) {
      LOG.warn("execution {}: could not be reverted: {}", manifest.execution(), e.toString());
      return false;
    }
  }

  /** Makes the file what it was before. */
  void restore(ChangeManifest manifest, FileChange change, Seen now)
      throws FileFailedException, IOException {
    switch (change.before()) {
      case FileState.Absent _ -> {
        if (now.fact().isPresent()) {
          files.remove(change.spot(), now.fact().get());
        }
      }
      case FileState.Present before -> {
        try (InputStream kept = backupFolder.blob(manifest.execution(), change.blob())) {
          Placing placing = new Placing(temporary(manifest.execution()), now.fact());
          files.put(change.spot(), kept, before, placing);
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
              .put("path", change.spot().shown())
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
