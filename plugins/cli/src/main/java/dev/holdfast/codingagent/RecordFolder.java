package dev.holdfast.codingagent;

import dev.holdfast.kit.DurableFile;
import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Small objects by name, each in a file of its own that is written whole: several processes may use
 * the folder, and a crash leaves no half of one. The newest 1,000 are kept.
 */
final class RecordFolder {
  private static final int KEPT_MAX = 1000;

  /** Beyond {@link #KEPT_MAX}, so that not each new one leads to a look at all. */
  private static final int SLACK = 100;

  private final Path folder;

  RecordFolder(Path folder) {
    this.folder = folder;
  }

  /** Empty when it is not there, or cannot be understood. */
  Optional<Map<String, Object>> find(String name) throws IOException {
    try {
      return Optional.of(JsonText.object(Files.readString(file(name))));
    } catch (NoSuchFileException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** Returns when it is on disk. */
  void put(String name, Map<String, Object> object) throws IOException {
    putText(file(name), JsonText.write(object));
  }

  /**
   * Puts a text into a file. Returns when it is on disk.
   *
   * @param file in this folder
   */
  void putText(Path file, String text) throws IOException {
    Files.createDirectories(folder);
    Path draft = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
    DurableFile.write(file, draft, text);
    dropOldest();
  }

  private Path file(String name) {
    return folder.resolve(fileName(name) + ".json");
  }

  /** A name of any characters as one that a file can have. */
  static String fileName(String name) {
    return PermissionRequest.hash(name).substring(0, 32);
  }

  private void dropOldest() throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.list(folder)) {
      all = new ArrayList<>(files.toList());
    }
    if (all.size() > KEPT_MAX + SLACK) {
      all.sort(Comparator.comparing(file -> file.toFile().lastModified()));
      for (Path each : all.subList(0, all.size() - KEPT_MAX)) {
        Files.deleteIfExists(each);
      }
    }
  }
}
