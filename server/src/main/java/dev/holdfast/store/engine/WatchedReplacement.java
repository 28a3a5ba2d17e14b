package dev.holdfast.store.engine;

import dev.holdfast.libc.Errno;
import dev.holdfast.libc.FileCalls;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Replaces a file that people may change at the same moment. Old and new swap their names at once,
 * and only then is the old one compared: so whoever wrote before the swap is seen, and whoever
 * writes after it writes to the new file or, if he had it open, to the old one.
 */
final class WatchedReplacement {
  private WatchedReplacement() {}

  /** As {@link TextFiles#replace(Path, byte[], byte[], Path)}. */
  static boolean replace(Path file, byte[] expected, byte[] content, Path kept) throws IOException {
    Path other = writeBeside(file, content);
    if (!holds(file, expected)) {
      Files.delete(other);
      return false;
    }
    int swapped = exchange(other, file);
    if (swapped == -Errno.ENOENT) {
      return create(other, file, expected.length == 0);
    }
    if (swapped < 0) {
      AtomicFiles.move(other, file); // this file system cannot swap
      return true;
    }
    boolean isExpected = holds(other, expected);
    if (!isExpected && exchange(other, file) < 0) {
      AtomicFiles.move(other, file); // somebody has deleted the new one
    }
    boolean isOurs = !isExpected && holds(other, content);
    if (!isOurs && Files.exists(other, LinkOption.NOFOLLOW_LINKS)) {
      keep(other, kept);
    }
    forget(other);
    return isExpected;
  }

  /** As {@link TextFiles#exchange}. */
  static void exchange(Path file, byte[] content, Path kept) throws IOException {
    Path other = writeBeside(file, content);
    int swapped = exchange(other, file);
    while (swapped == -Errno.ENOENT) {
      if (create(other, file, true)) {
        return;
      }
      other = writeBeside(file, content);
      swapped = exchange(other, file);
    }
    if (swapped < 0) {
      AtomicFiles.move(other, file);
      return;
    }
    keep(other, kept);
    forget(other);
  }

  private static Path writeBeside(Path file, byte[] content) throws IOException {
    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file + " is a folder");
    }
    return AtomicFiles.writeBeside(file, out -> out.write(content));
  }

  /** Where there was no file; one that has come meanwhile stays. */
  private static boolean create(Path other, Path file, boolean isExpected) throws IOException {
    int moved =
        isExpected
            ? FileCalls.rename(
                FileCalls.CURRENT_FOLDER,
                other.toString(),
                FileCalls.CURRENT_FOLDER,
                file.toString(),
                false)
            : -Errno.EEXIST;
    if (moved == -Errno.EEXIST) {
      Files.delete(other);
      return false;
    }
    if (moved < 0) {
      AtomicFiles.move(other, file);
    }
    AtomicFiles.syncFolder(AtomicFiles.folderOf(file));
    return true;
  }

  /** Nothing happens when both names are of the same file. */
  private static void keep(Path other, Path kept) throws IOException {
    try {
      AtomicFiles.move(other, kept);
    } catch (AtomicMoveNotSupportedException _) { // versions on another disk
      AtomicFiles.write(kept, out -> Files.copy(other, out));
    }
  }

  private static void forget(Path other) throws IOException {
    boolean _ = Files.deleteIfExists(other);
    AtomicFiles.syncFolder(AtomicFiles.folderOf(other));
  }

  private static int exchange(Path one, Path other) {
    return FileCalls.exchange(one.toString(), other.toString());
  }

  private static boolean holds(Path file, byte[] content) throws IOException {
    return Arrays.equals(
        TextFiles.plainBytes(file, content.length + 1).orElse(new byte[0]), content);
  }
}
