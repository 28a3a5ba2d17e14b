package dev.holdfast.store.threads;

import java.nio.file.Path;

/** Where the files of a chat thread are, for all who work with them at one time. Thread-safe. */
final class FolderClaim {
  private final Path path;
  private volatile boolean claimed;

  FolderClaim(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  /** Whether it is there and was found to belong to the thread. */
  boolean isClaimed() {
    return claimed;
  }

  /** {@code false}: it must be looked at again, for a write to it has failed. */
  void claimed(boolean whether) {
    claimed = whether;
  }
}
