package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** How much one call reads of a vault. */
final class ReadBudget {
  private static final int NOTES_MAX = 20_000;
  private static final long BYTES_MAX = 256L << 20;

  private int notes;
  private long bytes;
  private int unreadable;

  /** Whether one more note of that size may be read. */
  boolean allows(long more) {
    notes++;
    bytes += Math.min(more, Note.BYTES_MAX);
    return notes <= NOTES_MAX && bytes <= BYTES_MAX;
  }

  /** Empty for a note that cannot be read: too large, no UTF-8, gone. */
  Optional<Note> read(Path file) {
    try {
      return Optional.of(Note.read(file));
    } catch (ActionRefusedException | IOException _) {
      unreadable++;
      return Optional.empty();
    }
  }

  int unreadable() {
    return unreadable;
  }
}
