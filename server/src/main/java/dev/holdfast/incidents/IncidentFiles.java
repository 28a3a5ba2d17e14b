package dev.holdfast.incidents;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.TextFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page for each incident in {@code data/memory/incidents}. The rows are the truth: what the disk
 * refuses here is written at the next start. Used by one thread.
 */
final class IncidentFiles {
  private static final Logger LOG = LoggerFactory.getLogger(IncidentFiles.class);
  private static final String SUFFIX = ".md";

  private final Path folder;
  private final TextFiles texts;

  IncidentFiles(Path dataDir, FailStop failStop) {
    this.folder = dataDir.resolve("memory").resolve("incidents");
    this.texts = new TextFiles(failStop);
  }

  static String name(Incident incident) {
    return incident.at().atZone(ZoneOffset.UTC).toLocalDate() + "-" + incident.id() + SUFFIX;
  }

  void write(Incident incident) {
    try {
      texts.replace(folder.resolve(name(incident)), IncidentText.of(incident));
    } catch (IOException e) {
      LOG.warn(
          "incident {}: its file is written at the next start: {}", incident.id(), e.getMessage());
    }
  }

  void delete(List<String> ids) {
    if (ids.isEmpty()) {
      return;
    }
    Set<String> gone = Set.copyOf(ids);
    for (String name : names()) {
      if (gone.stream().anyMatch(id -> name.endsWith("-" + id + SUFFIX))) {
        delete(name);
      }
    }
  }

  /** Writes the pages that are missing and deletes those of which there is no incident. */
  void reconcile(List<Incident> kept) {
    Set<String> there = names();
    Set<String> known = new HashSet<>();
    for (Incident incident : kept) {
      known.add(name(incident));
      if (!there.contains(name(incident))) {
        write(incident);
      }
    }
    there.stream().filter(name -> !known.contains(name)).forEach(this::delete);
  }

  private void delete(String name) {
    try {
      boolean _ = AtomicFiles.delete(folder.resolve(name));
    } catch (IOException e) {
      LOG.warn("incidents: {} could not be deleted: {}", name, e.getMessage());
    }
  }

  /** Only those that have such a name: a person's own notes may lie beside them. */
  private Set<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      Set<String> names = new HashSet<>();
      files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(
              name ->
                  name.matches(
                      "\\d{4}-\\d\\d-\\d\\d-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.md"))
          .forEach(names::add);
      return names;
    } catch (NoSuchFileException _) {
      return Set.of();
    } catch (IOException e) {
      LOG.warn("incidents: {} could not be listed: {}", folder, e.getMessage());
      return Set.of();
    }
  }
}
