package dev.holdfast;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where libraries unpack files while the server runs. In the data folder, because after a kill -9
 * nobody else would ever remove them: the next start does.
 */
record TemporaryFolder(Path path) {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);

  /** SQLite's library and some more. */
  private static final long UNPACKED_BYTES = 2 * 1024 * 1024;

  static TemporaryFolder in(Path dataDir) {
    return new TemporaryFolder(dataDir.resolve("tmp"));
  }

  /** Removes what an earlier run left, and has SQLite's driver unpack here. */
  void empty() throws IOException {
    AtomicFiles.createFolders(path);
    Files.walkFileTree(path, new Removal(path));
    if (System.getProperty("org.sqlite.tmpdir") == null) {
      System.setProperty("org.sqlite.tmpdir", path.toString());
    }
    long free = Files.getFileStore(path).getUsableSpace();
    if (free < UNPACKED_BYTES) { // the library would only say that it cannot be loaded
      throw new IOException(
          "%s has %d KiB left, too little for the libraries that a start unpacks there; free some space"
              .formatted(path, free >> 10));
    }
  }

  /** What was unpacked meanwhile is the owner's alone, like all that lies beside it. */
  void restrict() {
    try {
      Files.walkFileTree(path, new Restriction());
    } catch (IOException e) {
      LOG.warn("temporary files: not all permissions could be restricted: {}", e.toString());
    }
  }

  /** Whoever needed a file may remove it meanwhile. */
  private abstract static class Visitor extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }
  }

  private static final class Removal extends Visitor {
    private final Path kept;

    Removal(Path kept) {
      this.kept = kept;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
        throws IOException {
      if (e != null) {
        throw e;
      }
      if (!folder.equals(kept)) {
        Files.deleteIfExists(folder);
      }
      return FileVisitResult.CONTINUE;
    }
  }

  private static final class Restriction extends Visitor {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (attributes.isRegularFile()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
