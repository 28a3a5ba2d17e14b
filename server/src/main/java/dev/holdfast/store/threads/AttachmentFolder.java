package dev.holdfast.store.threads;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code attachments/} of one chat thread: files under names of ours, each whole or not there.
 * Thread-safe; no method is cut short by an interrupt.
 */
public final class AttachmentFolder {
  /** Ours alone: no name of a stranger is ever joined to a path. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,80}\\.[a-z0-9]{1,8}");

  private final Path folder;
  private final Claim claim;
  private final FailStop failStop;

  /** Makes sure that the thread's folder is there and is the thread's. */
  interface Claim {
    void make() throws IOException;
  }

  private record Kept(Path file, FileTime at, long bytes) {}

  AttachmentFolder(Path folder, Claim claim, FailStop failStop) {
    this.folder = folder;
    this.claim = claim;
    this.failStop = failStop;
  }

  /** Whether it is a name that a file here can have. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** A name of ours, made of {@code stem}: what does not fit into one becomes a hyphen. */
  public static String name(String stem, String extension) {
    String plain = stem.toLowerCase(java.util.Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String cut = plain.replaceAll("^-+", "");
    return (cut.isEmpty() ? "x" : cut.substring(0, Math.min(cut.length(), 80))) + "." + extension;
  }

  /**
   * Puts a file in place, durably; one of the same name is replaced. Then the oldest files go while
   * all together have more than {@code folderBytesMax}.
   *
   * @throws IllegalArgumentException when the name is not of our form
   */
  public Path put(String name, byte[] content, long folderBytesMax) throws IOException {
    if (!isName(name)) {
      throw new IllegalArgumentException("not a name of ours: " + name);
    }
    claim.make();
    AtomicFiles.createFolders(folder);
    Path file = folder.resolve(name);
    try {
      AtomicFiles.write(file, content);
      AtomicFiles.syncFolder(folder.resolve("..").normalize());
    } catch (SyncFailedException e) {
      failStop.end(StartRefusedException.IO, "fsync of " + file + ": " + e.getMessage());
      throw e;
    }
    forgetOldest(name, folderBytesMax);
    return file;
  }

  /** Where the file of a name of ours lies; empty when there is none, or no plain file. */
  public Optional<Path> find(String name) {
    if (!isName(name)) {
      return Optional.empty();
    }
    Path file = folder.resolve(name);
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        ? Optional.of(file)
        : Optional.empty();
  }

  private void forgetOldest(String butNot, long bytesMax) throws IOException {
    List<Kept> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        keep(file, all);
      }
    }
    long bytes = all.stream().mapToLong(Kept::bytes).sum();
    all.sort(Comparator.comparing(Kept::at));
    for (Kept oldest : all) {
      if (bytes <= bytesMax) {
        return;
      }
      if (!oldest.file().endsWith(butNot)) {
        Files.deleteIfExists(oldest.file());
        bytes -= oldest.bytes();
      }
    }
  }

  /** A small file counts as much as it takes of the disk. */
  private static void keep(Path file, List<Kept> all) {
    try {
      BasicFileAttributes facts =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      all.add(new Kept(file, facts.lastModifiedTime(), Math.max(4096, facts.size())));
    } catch (IOException _) {
      // Gone meanwhile.
    }
  }
}
