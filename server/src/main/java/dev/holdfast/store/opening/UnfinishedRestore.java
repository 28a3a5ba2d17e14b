package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Keeps a folder that is only half restored from being taken for a whole one, or a new one. */
public final class UnfinishedRestore {
  private UnfinishedRestore() {}

  /**
   * Before anything else is put into the folder, its lock included; durable on return. Changes
   * nothing where a server has begun meanwhile, which the lock then tells.
   *
   * @return whether this call has announced it
   */
  public static boolean announce(Path folder) throws IOException {
    AtomicFiles.createFolders(folder);
    Path file = folder.resolve(RunRecord.NAME);
    if (!AtomicFiles.create(file)) {
      return false;
    }
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      out.write(RunRecord.RESTORING.getBytes(StandardCharsets.US_ASCII));
      out.getFD().sync();
    } catch (IOException e) {
      AtomicFiles.delete(file);
      throw e;
    }
    AtomicFiles.syncFolder(folder);
    return true;
  }

  /** Before the first file, under the lock; durable on return. */
  public static void begin(Path folder) throws IOException {
    RunRecord.restoring(folder);
  }

  /** Whether a restore into the folder was begun and has not ended. */
  public static boolean isIn(Path folder) throws IOException {
    return new RunRecord(folder).isRestoring();
  }

  /** After the last file, or when none of them is there any more. */
  public static void end(Path folder) throws IOException {
    RunRecord.ended(folder);
  }
}
