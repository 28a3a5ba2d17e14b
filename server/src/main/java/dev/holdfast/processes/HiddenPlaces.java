package dev.holdfast.processes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What children must not see.
 *
 * @param always files and folders
 * @param more files that may become more, or be others, while the server runs
 */
record HiddenPlaces(List<Path> always, Supplier<? extends Collection<Path>> more) {
  HiddenPlaces {
    always = List.copyOf(always);
  }

  /**
   * Where they really are at this moment. What does not exist needs no hiding, nor does what is in
   * a folder that is hidden as a whole.
   */
  List<Path> now() {
    List<Path> real =
        Stream.concat(always.stream(), more.get().stream())
            .flatMap(path -> real(path).stream())
            .distinct()
            .toList();
    return real.stream()
        .filter(
            path -> real.stream().noneMatch(other -> !path.equals(other) && path.startsWith(other)))
        .toList();
  }

  private static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
