package dev.holdfast.training;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A start-up cache and, in {@code <name>.stamp} beside it, what it was made for: a JVM ignores a
 * cache of another jar, Java or heap, in silence.
 */
public final class CacheFile {
  private final Path file;
  private final String stamp;

  /**
   * @param flags of the JVM that is to use it, in their order
   */
  public CacheFile(Path file, Path jar, List<String> flags) throws IOException {
    this.file = file;
    this.stamp =
        "java %s%njar %s %d %s%nflags %s%n"
            .formatted(
                Runtime.version(),
                jar.toAbsolutePath(),
                Files.size(jar),
                Files.getLastModifiedTime(jar),
                String.join(" ", flags));
  }

  public Path path() {
    return file;
  }

  /** Whether it is there and was made for exactly this. */
  public boolean isCurrent() throws IOException {
    return Files.isRegularFile(file)
        && Files.isRegularFile(stampFile())
        && Files.readString(stampFile()).equals(stamp);
  }

  /** Puts a finished cache in its place. */
  void replaceWith(Path made) throws IOException {
    Files.deleteIfExists(stampFile());
    Files.move(made, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    Files.writeString(stampFile(), stamp, StandardCharsets.UTF_8);
  }

  private Path stampFile() {
    return file.resolveSibling(file.getFileName() + ".stamp");
  }
}
