package dev.holdfast.tools.files;

import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.IOException;
import java.io.InputStream;
import java.io.SyncFailedException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;

/** Reads, writes, moves and removes files in the folders that tools may use. Thread-safe. */
record AllowedFiles(AllowedFolders allowed) {
  private static final int OWNERS_FILE = 0600;
  private static final int FILE = 0666;
  private static final int RIGHTS = 0777;
  private static final int BUFFER_BYTES = 65_536;

  /**
   * What stood at a path.
   *
   * @param status empty when nothing stood there
   */
  record Snapshot(FileState state, Optional<FileStatus> status) {
    static final Snapshot NOTHING = new Snapshot(new FileState.Absent(), Optional.empty());
  }

  /** Reads the bytes of a file while they are hashed. */
  interface ContentReader {
    void read(InputStream bytes) throws IOException, FileFailedException;
  }

  /** Reads the whole file, to know it again. */
  Snapshot snapshot(AllowedPath path) throws FileFailedException, IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    return snapshot(
        path,
        bytes -> {
          while (bytes.read(buffer) >= 0) {
            // The digest sees every byte.
          }
        });
  }

  /** Gives the whole file away; the reader is not called when there is none. */
  Snapshot snapshot(AllowedPath path, ContentReader reader)
      throws FileFailedException, IOException {
    try (SafeFolder folder = allowed.enterParent(path)) {
      if (folder.status(path.name()).isEmpty()) {
        return Snapshot.NOTHING;
      }
      try (SafeFile file = folder.file(path.name())) {
        MessageDigest digest = Sha256.begin();
        reader.read(new DigestInputStream(file, digest));
        file.requireUnchanged(path.shown());
        FileStatus status = file.status();
        FileState state =
            new FileState.Present(Sha256.end(digest), status.size(), status.mode() & RIGHTS);
        return new Snapshot(state, Optional.of(status));
      }
    } catch (FileFailedException e) {
      if (e.why() == Why.MISSING) {
        return Snapshot.NOTHING; // the folder is missing too
      }
      throw e;
    }
  }

  /**
   * Writes a file, whole or not at all.
   *
   * @param after what the bytes must be
   */
  void put(AllowedPath path, InputStream bytes, FileState.Present after, Placement placement)
      throws FileFailedException, IOException {
    MessageDigest digest = Sha256.begin();
    int mode = after.mode() != 0 ? after.mode() : path.scratch() ? OWNERS_FILE : FILE;
    SafeFolder.Content content =
        new SafeFolder.Content(
            new DigestInputStream(bytes, digest), mode, after.mode() != 0 || path.scratch());
    synced(
        path,
        () -> {
          try (SafeFolder folder = allowed.createParent(path)) {
            folder.put(
                path.name(),
                placement.temporary(),
                content,
                placement.expected(),
                () -> requireContent(path, digest, after));
          }
        });
  }

  /**
   * How a file takes its place.
   *
   * @param temporary its name until then
   * @param expected what stands there now; empty when nothing may
   */
  record Placement(String temporary, Optional<FileStatus> expected) {}

  private static void requireContent(
      AllowedPath path, MessageDigest digest, FileState.Present after) throws FileFailedException {
    if (!Sha256.end(digest).equals(after.sha256())) {
      throw new FileFailedException(Why.DAMAGED, "the backup of " + path.shown() + " is damaged");
    }
  }

  void remove(AllowedPath path, FileStatus expected) throws FileFailedException, IOException {
    synced(
        path,
        () -> {
          try (SafeFolder folder = allowed.enterParent(path)) {
            folder.remove(path.name(), expected);
          }
        });
  }

  /**
   * Moves a file in one step.
   *
   * @throws FileFailedException OTHER_DISK when there is no such step
   */
  void move(AllowedPath from, FileStatus expected, AllowedPath to)
      throws FileFailedException, IOException {
    synced(
        to,
        () -> {
          try (SafeFolder source = allowed.enterParent(from);
              SafeFolder target = allowed.createParent(to)) {
            source.move(from.name(), expected, target, to.name());
          }
        });
  }

  /** Removes folders that were made for a file, from the bottom, while they are empty. */
  void removeEmpty(List<AllowedPath> createdFolders) throws FileFailedException, IOException {
    for (AllowedPath path : createdFolders.reversed()) {
      try (SafeFolder folder = allowed.enterParent(path)) {
        if (!folder.removeEmptyFolder(path.name())) {
          return;
        }
      } catch (FileFailedException e) {
        if (e.why() != Why.MISSING) {
          throw e;
        }
      }
    }
  }

  /** What a crash left of a write that never took its place. */
  void removeLeftover(AllowedPath path, String temporary) throws FileFailedException, IOException {
    try (SafeFolder folder = allowed.enterParent(path)) {
      folder.removeLeftover(temporary);
    } catch (FileFailedException e) {
      if (e.why() != Why.MISSING) {
        throw e;
      }
    }
  }

  private interface Action {
    void run() throws FileFailedException, IOException;
  }

  /** A disk that is not the server's own may fail without taking the server with it. */
  private static void synced(AllowedPath path, Action action)
      throws FileFailedException, IOException {
    try {
      action.run();
    } catch (SyncFailedException e) {
      if (path.scratch()) {
        throw e;
      }
      throw new FileFailedException(
          Why.CHANGED, path.shown() + ": its disk did not confirm the change");
    }
  }
}
