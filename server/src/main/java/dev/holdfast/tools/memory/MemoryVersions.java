package dev.holdfast.tools.memory;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.TextFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
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

  /** Besides these: of files that somebody may still write to. */
  private static final int YOUNG_MAX = 100;

  private static final Duration OPEN_FOR = Duration.ofMinutes(10);

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
    List<MemoryVersion> all = list();
    int last = all.isEmpty() ? 0 : all.getLast().number();
    if (last >= MemoryVersion.NUMBER_MAX) {
      throw new IOException("the numbers of versions are used up: delete " + folder);
    }
    List<MemoryVersion> young = new ArrayList<>();
    List<MemoryVersion> old = new ArrayList<>();
    for (MemoryVersion version : all) {
      if (isCovered(version, version.number() == last, file, now)) {
        delete(version);
      } else {
        (isYoung(version, now) ? young : old).add(version);
      }
    }
    Path kept = folder.resolve(new MemoryVersion(last + 1, now, by, 0).fileName());
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      texts.keep(file, kept);
    } else {
      texts.replace(kept, new byte[0]);
    }
    limit(old, KEPT_MAX - 1);
    limit(young, YOUNG_MAX);
    return kept;
  }

  private void limit(List<MemoryVersion> versions, int max) throws IOException {
    for (MemoryVersion oldest : versions.subList(0, Math.max(0, versions.size() - max))) {
      delete(oldest);
    }
  }

  private void delete(MemoryVersion version) throws IOException {
    boolean _ = AtomicFiles.delete(folder.resolve(version.fileName()));
  }

  /** Whether somebody may still have the file open that a line was added to. */
  private static boolean isYoung(MemoryVersion version, Instant now) {
    return version.by().equals(Memory.REMEMBER) && version.replacedAt().plus(OPEN_FOR).isAfter(now);
  }

  /**
   * A crash leaves a content twice, and additions alone would soon be all there is: a version goes
   * when it is the file itself, or when only lines were added to it some time ago.
   */
  private boolean isCovered(MemoryVersion version, boolean isLast, Path file, Instant now)
      throws IOException {
    Path kept = folder.resolve(version.fileName());
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return isLast && version.bytes() == 0;
    }
    if (isSame(file, kept)) {
      return true;
    }
    boolean isAddition = version.by().equals(Memory.REMEMBER);
    if (isYoung(version, now) || !(isAddition || isLast)) {
      return false;
    }
    long differs = Files.mismatch(kept, file);
    return (isLast && differs < 0) || (isAddition && differs == Files.size(kept));
  }

  /** What was kept and then not replaced is no earlier content. */
  void forget(Path kept, Path file) throws IOException {
    if (isSame(file, kept) || (Files.exists(kept) && Files.size(kept) == 0)) {
      boolean _ = AtomicFiles.delete(kept);
    }
  }

  /**
   * Keeps what a crash left beside a file, unless it is kept already or nothing was swapped yet.
   *
   * @param half what may be the file that was swapped out
   */
  void keepHalf(Path half, Path file, String by, Instant now) throws IOException {
    List<MemoryVersion> all = list();
    Path last = all.isEmpty() ? half : folder.resolve(all.getLast().fileName());
    if (all.isEmpty() || (!isSame(half, last) && !isSame(file, last))) {
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
