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
    return plainBytes(file, bytesMax);
  }

  static Optional<byte[]> plainBytes(Path file, int bytesMax) throws IOException {
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
    boolean _ =
        written(
            file,
            () -> {
              AtomicFiles.write(file, content);
              return true;
            });
  }

  /**
   * As {@link #replace(Path, byte[])}, unless it is not as expected. What somebody writes at the
   * same moment is not lost: it is seen, or goes to the new file, or to the old one when he had it
   * open. Only where the file system cannot swap two names, a file is lost that somebody puts there
   * within the last microseconds.
   *
   * @param expected what the file holds; empty also when there is none
   * @param kept another name that the old file gets if it is replaced; its folder is there. If it
   *     is put back, and somebody has written to the new one meanwhile, that one gets it.
   * @return false when the file holds something else; then it is as it was
   */
  public boolean replace(Path file, byte[] expected, byte[] content, Path kept) throws IOException {
    return written(file, () -> WatchedReplacement.replace(file, expected, content, kept));
  }

  /**
   * As {@link #replace(Path, byte[])}, whatever the file holds.
   *
   * @param kept another name that the old file gets, whatever it is; its folder is there
   */
  public void exchange(Path file, byte[] content, Path kept) throws IOException {
    boolean _ =
        written(
            file,
            () -> {
              WatchedReplacement.exchange(file, content, kept);
              return true;
            });
  }

  /**
   * Gives a plain file another name, durably: what is written to it later is there, too. Where the
   * file system has no second names, a copy.
   */
  public void keep(Path file, Path name) throws IOException {
    boolean _ =
        written(
            name,
            () -> {
              try {
                AtomicFiles.link(file, name);
              } catch (SyncFailedException e) {
                throw e;
              } catch (IOException | UnsupportedOperationException _) { // no second names here
                AtomicFiles.write(name, out -> Files.copy(file, out));
              }
              return true;
            });
  }

  /** Beside a file: what a crash left while it was being replaced. */
  public static Path half(Path file) {
    return AtomicFiles.temporary(file);
  }

  private interface Write {
    boolean run() throws IOException;
  }

  private boolean written(Path file, Write write) throws IOException {
    try {
      AtomicFiles.createFolders(AtomicFiles.folderOf(file));
      return write.run();
    } catch (SyncFailedException e) {
      failStop.end(StartRefusedException.IO, "fsync of " + file + ": " + e.getMessage());
      throw e;
    }
  }
}
