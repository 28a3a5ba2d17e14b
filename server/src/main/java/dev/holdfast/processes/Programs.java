package dev.holdfast.processes;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where programs are looked for: the absolute folders of a search path, so that no working folder
 * joins in.
 */
record Programs(List<Path> folders) {
  private static final String USUAL =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  static Programs of(String searchPath) {
    String known = searchPath.isBlank() ? USUAL : searchPath;
    return new Programs(
        Arrays.stream(known.split(":"))
            .filter(folder -> folder.startsWith("/"))
            .map(Path::of)
            .distinct()
            .toList());
  }

  /** The program's absolute path; a name with a slash must be absolute already. */
  Optional<Path> find(String name) {
    try {
      if (name.contains("/")) {
        return Optional.of(Path.of(name)).filter(Path::isAbsolute).filter(Programs::isProgram);
      }
      return folders.stream()
          .map(folder -> folder.resolve(name))
          .filter(Programs::isProgram)
          .findFirst();
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }

  String searchPath() {
    return folders.stream().map(Path::toString).collect(Collectors.joining(":"));
  }

  private static boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}
