package dev.holdfast.tools.memory;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.TextFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
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
   * Keeps a content that is about to be replaced, durably. A crash before that leaves it twice: so
   * the one that was kept last is not kept again.
   */
  void keep(byte[] content, String by, Instant now) throws IOException {
    List<MemoryVersion> all = list();
    int last = all.isEmpty() ? 0 : all.getLast().number();
    if (last > 0 && Arrays.equals(content, read(last).orElse(new byte[0]))) {
      return;
    }
    if (last >= MemoryVersion.NUMBER_MAX) {
      throw new IOException("the numbers of versions are used up: delete " + folder);
    }
    deleteHalves();
    MemoryVersion version = new MemoryVersion(last + 1, now, by, content.length);
    texts.replace(folder.resolve(version.fileName()), content);
    for (MemoryVersion old : all.subList(0, Math.max(0, all.size() + 1 - KEPT_MAX))) {
      boolean _ = AtomicFiles.delete(folder.resolve(old.fileName()));
    }
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
