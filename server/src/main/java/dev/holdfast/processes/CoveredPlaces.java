package dev.holdfast.processes;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a child is not shown. Its view of each place is fixed when it starts: what is moved there
 * later, or made there, it does not see.
 *
 * @param places real paths of folders that are empty for it, and of files that are
 * @param folders of which it sees some entries only; one that lies in another comes after it
 */
record CoveredPlaces(List<Path> places, List<Folder> folders) {
  CoveredPlaces {
    places = List.copyOf(places);
    folders = List.copyOf(folders);
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

  /** Whether any of it lies in that folder. */
  boolean isIn(Path folder) {
    return Stream.concat(places.stream(), folders.stream().map(Folder::path))
        .anyMatch(path -> path.startsWith(folder));
  }
}
