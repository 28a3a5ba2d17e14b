package dev.holdfast.store.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.SyncFailedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Small texts that people may edit by hand. Thread-safe; one file has one writer at a time. */
public final class TextFiles {
  private final FailStop failStop;

  public TextFiles(FailStop failStop) {
    this.failStop = failStop;
  }

  /**
   * The text; empty when the file is missing or is anything else than a plain file, a symbolic link
   * for example. Bytes beyond {@code bytesMax} are left off, and so are those that are not UTF-8.
   */
  public Optional<String> read(Path file, int bytesMax) throws IOException {
    return readBytes(file, bytesMax).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** As {@link #read}, byte for byte. */
  public Optional<byte[]> readBytes(Path file, int bytesMax) throws IOException {
    // The first question costs no exception, and each turn asks for files that few people have.
    if (!Files.exists(file) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.of(in.readNBytes(bytesMax));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /**
   * Replaces the whole text; durable on return. A failed fsync ends the process (exit 74).
   *
   * @throws IOException when the disk refuses; then the old text is still there
   */
  public void replace(Path file, String text) throws IOException {
    replace(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** As {@link #replace(Path, String)}. */
  public void replace(Path file, byte[] content) throws IOException {
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        AtomicFiles.createFolders(folder);
      }
      AtomicFiles.write(file, content);
    } catch (SyncFailedException e) {
      failStop.end(StartRefusedException.IO, "fsync of " + file + ": " + e.getMessage());
      throw e;
    }
  }
}
