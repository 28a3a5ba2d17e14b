package dev.holdfast.notes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What calls were about to change. Written before the change: a call that is made again after a
 * crash can tell whether it has changed the note. For whoever holds the writer's lock.
 */
final class CallLedger {
  private static final int KEPT_MAX = 500;

  private final Path folder;

  /**
   * A change.
   *
   * @param path of the note, in its vault
   * @param before the hash of what there was; empty when there was nothing
   * @param after the hash of what is to be there
   */
  record Change(String path, String before, String after) {}

  CallLedger(Path folder) {
    this.folder = folder;
  }

  Optional<Change> find(String key) throws IOException {
    Path file = file(key);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    return lines.size() == 3
        ? Optional.of(new Change(lines.get(0), lines.get(1), lines.get(2)))
        : Optional.empty();
  }

  void add(String key, Change change) throws IOException {
    Files.createDirectories(folder);
    String text = String.join("\n", change.path(), change.before(), change.after()) + "\n";
    AtomicNote.put(file(key), text, true);
    dropOldest();
  }

  private Path file(String key) {
    return folder.resolve(Note.hash(key));
  }

  private void dropOldest() throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.list(folder)) {
      all = new ArrayList<>(files.toList());
    }
    if (all.size() > KEPT_MAX) {
      all.sort(Comparator.comparing(file -> file.toFile().lastModified()));
      for (Path each : all.subList(0, all.size() - KEPT_MAX)) {
        Files.deleteIfExists(each);
      }
    }
  }
}
