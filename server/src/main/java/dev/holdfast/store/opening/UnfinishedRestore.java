package dev.holdfast.store.opening;

import java.io.IOException;
import java.nio.file.Path;

/** Keeps a folder that is only half restored from being taken for a whole one, or a new one. */
public final class UnfinishedRestore {
  private UnfinishedRestore() {}

  /** Before the first file; durable on return. */
  public static void begin(Path folder) throws IOException {
    RunRecord.restoring(folder);
  }

  /** After the last file. */
  public static void end(Path folder) throws IOException {
    RunRecord.ended(folder);
  }
}
