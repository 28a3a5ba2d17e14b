package dev.holdfast.tools.files;

import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.IOException;
import java.io.InputStream;
import java.io.SyncFailedException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;

/** Looks at files, puts them in place and takes them away, all within the fence. Thread-safe. */
record AllowedFiles(AllowedFolders allowed) {
  private static final int OWNERS_FILE = 0600;
  private static final int FILE = 0666;
  private static final int RIGHTS = 0777;
  private static final int BUFFER_BYTES = 65_536;

  /**
   * What stood at a spot.
   *
   * @param fact empty when nothing stood there
   */
  record Seen(FileState state, Optional<FileStatus> fact) {
    static final Seen NOTHING = new Seen(new FileState.Absent(), Optional.empty());
  }

  /** Takes the bytes of a file while they are looked at. */
  interface Taker {
    void take(InputStream bytes) throws IOException, FileFailedException;
  }

  /** Reads the whole file, to know it again. */
  Seen see(AllowedPath spot) throws FileFailedException, IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    return see(
        spot,
        bytes -> {
          while (bytes.read(buffer) >= 0) {
            // The digest sees every byte.
          }
        });
  }

  /** Gives the whole file away; the taker is not asked when there is none. */
  Seen see(AllowedPath spot, Taker taker) throws FileFailedException, IOException {
    try (SafeFolder folder = allowed.enterParent(spot)) {
      if (folder.look(spot.name()).isEmpty()) {
        return Seen.NOTHING;
      }
      try (SafeFile file = folder.file(spot.name())) {
        MessageDigest digest = Sha256.begin();
        taker.take(new DigestInputStream(file, digest));
        file.mustBeUntouched(spot.shown());
        FileStatus fact = file.fact();
        FileState state =
            new FileState.Present(Sha256.end(digest), fact.size(), fact.mode() & RIGHTS);
        return new Seen(state, Optional.of(fact));
      }
    } catch (FileFailedException e) {
      if (e.why() == Why.MISSING) {
        return Seen.NOTHING; // the folder is missing too
      }
      throw e;
    }
  }

  /**
   * Writes a file, whole or not at all.
   *
   * @param after what the bytes must be
   */
  void put(AllowedPath spot, InputStream bytes, FileState.Present after, Placing placing)
      throws FileFailedException, IOException {
    MessageDigest digest = Sha256.begin();
    int mode = after.mode() != 0 ? after.mode() : spot.scratch() ? OWNERS_FILE : FILE;
    SafeFolder.Content content =
        new SafeFolder.Content(
            new DigestInputStream(bytes, digest), mode, after.mode() != 0 || spot.scratch());
    synced(
        spot,
        () -> {
          try (SafeFolder folder = allowed.makeParent(spot)) {
            folder.put(
                spot.name(),
                placing.temporary(),
                content,
                placing.expected(),
                () -> mustBe(spot, digest, after));
          }
        });
  }

  /**
   * How a file takes its place.
   *
   * @param temporary its name until then
   * @param expected what stands there now; empty when nothing may
   */
  record Placing(String temporary, Optional<FileStatus> expected) {}

  private static void mustBe(AllowedPath spot, MessageDigest digest, FileState.Present after)
      throws FileFailedException {
    if (!Sha256.end(digest).equals(after.sha256())) {
      throw new FileFailedException(Why.DAMAGED, "the backup of " + spot.shown() + " is damaged");
    }
  }

  void remove(AllowedPath spot, FileStatus expected) throws FileFailedException, IOException {
    synced(
        spot,
        () -> {
          try (SafeFolder folder = allowed.enterParent(spot)) {
            folder.remove(spot.name(), expected);
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
              SafeFolder target = allowed.makeParent(to)) {
            source.move(from.name(), expected, target, to.name());
          }
        });
  }

  /** Removes folders that were made for a file, from the bottom, while they are empty. */
  void removeEmpty(List<AllowedPath> made) throws FileFailedException, IOException {
    for (AllowedPath spot : made.reversed()) {
      try (SafeFolder folder = allowed.enterParent(spot)) {
        if (!folder.removeEmptyFolder(spot.name())) {
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
  void removeLeftover(AllowedPath spot, String temporary) throws FileFailedException, IOException {
    try (SafeFolder folder = allowed.enterParent(spot)) {
      folder.removeLeftover(temporary);
    } catch (FileFailedException e) {
      if (e.why() != Why.MISSING) {
        throw e;
      }
    }
  }

  private interface Body {
    void run() throws FileFailedException, IOException;
  }

  /** A disk that is not the server's own may fail without taking the server with it. */
  private static void synced(AllowedPath spot, Body body) throws FileFailedException, IOException {
    try {
      body.run();
    } catch (SyncFailedException e) {
      if (spot.scratch()) {
        throw e;
      }
      throw new FileFailedException(
          Why.CHANGED, spot.shown() + ": its disk did not confirm the change");
    }
  }
}
