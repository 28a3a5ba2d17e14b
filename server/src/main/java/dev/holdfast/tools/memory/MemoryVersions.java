package dev.holdfast.tools.memory;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.TextFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Earlier contents of one MEMORY.md, in a folder beside it. Used by one thread at a time. */
final class MemoryVersions {
  static final String FOLDER = "memory-versions";
  private static final int KEPT_MAX = 30;

  private final TextFiles texts;
  private final Path folder;
  private final int bytesMax;

  MemoryVersions(TextFiles texts, Path folder, int bytesMax) {
    this.texts = texts;
    this.folder = folder;
    this.bytesMax = bytesMax;
  }

  /** Oldest first. */
  List<MemoryVersion> list() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .flatMap(file -> MemoryVersion.of(file.getFileName().toString(), size(file)).stream())
          .sorted(Comparator.comparingInt(MemoryVersion::number))
          .toList();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException _) {
      return 0; // it has just gone
    }
  }

  /** Empty when there is no such version. */
  Optional<byte[]> read(int number) throws IOException {
    for (MemoryVersion version : list()) {
      if (version.number() == number) {
        return texts.readBytes(folder.resolve(version.fileName()), bytesMax);
      }
    }
    return Optional.empty();
  }

  /**
   * Keeps a file that is about to be replaced, durably: the file itself, so that what somebody who
   * has it open still writes is kept, too.
   *
   * @return where it is kept
   */
  Path keep(Path file, String by, Instant now) throws IOException {
    deleteHalves();
    List<MemoryVersion> all = new ArrayList<>(list());
    if (!all.isEmpty() && isCovered(all.getLast(), file)) {
      boolean _ = AtomicFiles.delete(folder.resolve(all.removeLast().fileName()));
    }
    int last = all.isEmpty() ? 0 : all.getLast().number();
    if (last >= MemoryVersion.NUMBER_MAX) {
      throw new IOException("the numbers of versions are used up: delete " + folder);
    }
    Path kept = folder.resolve(new MemoryVersion(last + 1, now, by, 0).fileName());
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      texts.keep(file, kept);
    } else {
      texts.replace(kept, new byte[0]);
    }
    for (MemoryVersion old : all.subList(0, Math.max(0, all.size() + 1 - KEPT_MAX))) {
      boolean _ = AtomicFiles.delete(folder.resolve(old.fileName()));
    }
    return kept;
  }

  /**
   * A crash leaves a content twice, and additions alone would soon be all there is: the last
   * version goes when a file has the same, or when only lines were added to it.
   */
  private boolean isCovered(MemoryVersion version, Path file) throws IOException {
    Path kept = folder.resolve(version.fileName());
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return version.bytes() == 0;
    }
    long differs = Files.mismatch(kept, file);
    return differs < 0 || (version.by().equals(Memory.REMEMBER) && differs == Files.size(kept));
  }

  /** What was kept and then not replaced is no earlier content. */
  void forget(Path kept, Path file) throws IOException {
    if (isSame(file, kept) || (Files.exists(kept) && Files.size(kept) == 0)) {
      boolean _ = AtomicFiles.delete(kept);
    }
  }

  /**
   * Keeps what a crash left of a file that was swapped out, unless it is kept already.
   *
   * @param half another name of it
   */
  void keepHalf(Path half, String by, Instant now) throws IOException {
    List<MemoryVersion> all = list();
    if (all.isEmpty() || !isSame(half, folder.resolve(all.getLast().fileName()))) {
      Path _ = keep(half, by, now);
    }
  }

  private static boolean isSame(Path file, Path kept) throws IOException {
    return Files.exists(file) && Files.exists(kept) && Files.isSameFile(file, kept);
  }

  /** What a crash left of a version: no later one has its name, so that it would stay. */
  private void deleteHalves() throws IOException {
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> halves = Files.newDirectoryStream(folder, "*.md.tmp")) {
        for (Path half : halves) {
          Files.deleteIfExists(half);
        }
      }
    }
  }
}
