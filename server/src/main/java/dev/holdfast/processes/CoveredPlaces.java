package dev.holdfast.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a child is not shown. Its view of each place is fixed when it starts: what is moved there
 * later, or made there, it does not see.
 *
 * @param places real paths of folders that are empty for it, and of files that are
 * @param folders of which it sees some entries only; one that lies in another comes after it
 * @param secrets what is hidden by these folders and places for being secret
 */
record CoveredPlaces(List<Path> places, List<Folder> folders, Set<HiddenSecret> secrets) {
  CoveredPlaces {
    places = List.copyOf(places);
    folders = List.copyOf(folders);
    secrets = Set.copyOf(secrets);
  }

  /**
   * A file of secrets that is hidden.
   *
   * @param path its folder's real path, and its name
   * @param covered what the cover lies over: the folder, or the file where it alone is covered
   */
  record HiddenSecret(Path path, FileIdentity covered) {}

  /**
   * What stands at a path, told apart from what comes there later.
   *
   * @param key of device and inode; empty when nothing is there
   * @param made when, which an inode that is used again does not share; empty where the file system
   *     does not keep it
   */
  record FileIdentity(String key, String made) {
    static FileIdentity of(Path path) {
      try {
        BasicFileAttributes facts =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        // Where it is not known, the time of the last change stands in its place.
        boolean isKnown = !facts.creationTime().equals(facts.lastModifiedTime());
        return new FileIdentity(
            String.valueOf(facts.fileKey()), isKnown ? facts.creationTime().toString() : "");
      } catch (IOException _) {
        return new FileIdentity("", "");
      }
    }
  }

  /** Whether it hides every secret that {@code other} does. */
  boolean hidesAllOf(CoveredPlaces other) {
    return secrets.containsAll(other.secrets);
  }

  /**
   * A folder, a real path.
   *
   * @param shown names of its entries
   */
  record Folder(Path path, List<String> shown) {
    Folder {
      shown = List.copyOf(shown);
    }
  }

  /** Whether nothing is seen of that path because it lies in a folder that is covered. */
  boolean covers(Path path) {
    return places.stream().anyMatch(path::startsWith);
  }

  /** Whether any of it lies in that folder. */
  boolean isIn(Path folder) {
    return Stream.concat(places.stream(), folders.stream().map(Folder::path))
        .anyMatch(path -> path.startsWith(folder));
  }
}
