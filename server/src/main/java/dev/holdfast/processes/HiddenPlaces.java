package dev.holdfast.processes;

import dev.holdfast.processes.CoveredPlaces.FileIdentity;
import dev.holdfast.processes.CoveredPlaces.HiddenSecret;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What children must not see.
 *
 * @param always files and folders
 * @param secrets files that may become more, be replaced or be made while the server and its
 *     children run
 */
record HiddenPlaces(List<Path> always, Supplier<? extends Collection<Path>> secrets) {
  /**
   * Each entry of a folder that is shown is a mount; a fuller one has its secrets covered alone.
   */
  static final int SHOWN_MAX = 100;

  /** There a child sees nothing of the machine's. */
  private static final List<Path> OWN =
      Stream.of("/tmp", "/run", "/dev", "/proc").map(Path::of).toList();

  HiddenPlaces {
    always = List.copyOf(always);
  }

  /**
   * As it is at this moment. A cover over a file alone would fall with the file: an editor that
   * saves puts another in its place. So the folder is covered, and its other entries are shown.
   */
  CoveredPlaces now() {
    Set<Path> places = new TreeSet<>();
    always.forEach(path -> real(path).ifPresent(places::add));
    Map<Path, Set<String>> named = new TreeMap<>();
    for (Path secret : secrets.get()) {
      named(secret).ifPresent(path -> add(path, named));
      real(secret).ifPresent(path -> add(path, named));
    }
    List<CoveredPlaces.Folder> folders = new ArrayList<>();
    Set<HiddenSecret> hidden = new HashSet<>();
    named.forEach(
        (folder, names) -> {
          if (places.stream().noneMatch(folder::startsWith)) {
            shown(folder, names)
                .ifPresentOrElse(
                    shown -> {
                      folders.add(new CoveredPlaces.Folder(folder, shown));
                      hidden.addAll(hidden(folder, names));
                    },
                    () -> {
                      List<Path> files = names.stream().map(folder::resolve).toList();
                      files.stream()
                          .filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                          .forEach(places::add);
                      files.forEach(
                          path -> hidden.add(new HiddenSecret(path, FileIdentity.of(path))));
                    });
          }
        });
    return new CoveredPlaces(outermost(places), folders, hidden);
  }

  private static List<HiddenSecret> hidden(Path folder, Set<String> names) {
    FileIdentity identity = FileIdentity.of(folder);
    return names.stream().map(name -> new HiddenSecret(folder.resolve(name), identity)).toList();
  }

  private static void add(Path path, Map<Path, Set<String>> named) {
    Path folder = path.getParent();
    Path name = path.getFileName();
    if (folder != null && name != null) {
      named.computeIfAbsent(folder, _ -> new TreeSet<>()).add(name.toString());
    }
  }

  /** Empty when that cannot be said of each, or they are too many. */
  private static Optional<List<String>> shown(Path folder, Set<String> secrets) {
    if (folder.getParent() == null || OWN.stream().anyMatch(folder::startsWith)) {
      return Optional.empty();
    }
    List<String> shown = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        if (!secrets.contains(name)) {
          shown.add(name);
        }
        if (shown.size() > SHOWN_MAX) {
          return Optional.empty();
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return Optional.empty();
    }
    return Optional.of(shown);
  }

  private static List<Path> outermost(Set<Path> places) {
    return places.stream()
        .filter(
            path ->
                places.stream().noneMatch(other -> !path.equals(other) && path.startsWith(other)))
        .toList();
  }

  /** Whether a file of secrets lies in that folder, also where that is hidden as a whole. */
  boolean hasSecretIn(Path real) {
    return secrets.get().stream()
        .flatMap(secret -> Stream.concat(named(secret).stream(), real(secret).stream()))
        .anyMatch(path -> path.startsWith(real));
  }

  /** Where it stands, whether or not it is there, and wherever it leads. */
  private static Optional<Path> named(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    return Optional.ofNullable(absolute.getParent())
        .flatMap(HiddenPlaces::real)
        .map(folder -> folder.resolve(absolute.getFileName()));
  }

  private static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
