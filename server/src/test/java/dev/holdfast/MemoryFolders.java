package dev.holdfast;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary folders that lie in memory where there is room: a store waits for the disk at each
 * commit, and no test cuts the power. Tests of what depends on the file system ask for {@link
 * TempDirFactory.Standard}.
 */
public final class MemoryFolders implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");

  /** Containers often have 64 MB. */
  private static final long ROOM = 1L << 30;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > ROOM
        ? Files.createTempDirectory(MEMORY, "junit-")
        : Files.createTempDirectory("junit-");
  }
}
