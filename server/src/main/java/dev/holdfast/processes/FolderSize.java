package dev.holdfast.processes;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * Measures what the files of a folder take of its disk, while somebody changes them. Each folder is
 * opened within the one above it, so that neither a link nor a path of any length leads astray.
 */
final class FolderSize {
  /** Deeper folders are not looked into: that counts as more than any limit. */
  static final int DEPTH_MAX = 100;

  private static final long BLOCK_BYTES = 4096;

  /** A larger file of several names is counted once. */
  private static final long LARGE_BYTES = 65_536;

  private final Set<Object> large = new HashSet<>();
  private long bytes;

  private FolderSize() {}

  /** In bytes; a file with holes counts as if it had none. Blocks for as long as it takes. */
  static long of(Path folder) {
    FolderSize size = new FolderSize();
    try (DirectoryStream<Path> top = Files.newDirectoryStream(folder)) {
      if (top instanceof SecureDirectoryStream<Path> secure) {
        size.add(secure, 1);
      }
    } catch (IOException | DirectoryIteratorException _) {
      return size.bytes; // it is being removed
    }
    return size.bytes;
  }

  private void add(SecureDirectoryStream<Path> folder, int depth) {
    if (depth > DEPTH_MAX) {
      bytes = Long.MAX_VALUE / 2;
      return;
    }
    for (Path entry : folder) {
      Path name = entry.getFileName();
      try {
        BasicFileAttributes fact =
            folder
                .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
        if (fact.isDirectory()) {
          bytes += BLOCK_BYTES;
          try (SecureDirectoryStream<Path> below =
              folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            add(below, depth + 1);
          }
        } else {
          add(fact);
        }
      } catch (IOException | DirectoryIteratorException _) {
        // It was removed meanwhile, or may not be looked into.
      }
    }
  }

  private void add(BasicFileAttributes fact) {
    Object key = fact.fileKey();
    if (fact.size() < LARGE_BYTES || key == null || large.add(key)) {
      bytes += (fact.size() / BLOCK_BYTES + 1) * BLOCK_BYTES;
    }
  }
}
