package dev.holdfast.browser;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folders that browsers keep their things in while they run. Each has one of its own: two browsers
 * do not share one, and while a plugin is replaced there may be two.
 */
final class Profiles {
  private static final String NAME = "profile-";

  private Profiles() {}

  /** An empty one. */
  static Path make(Path state) throws IOException {
    return Files.createTempDirectory(state, prefix());
  }

  /** Deletes those of servers that have ended, and their browsers with them. */
  static void deleteOld(Path state) throws IOException {
    try (Stream<Path> all = Files.list(state)) {
      List<Path> old =
          all.filter(folder -> folder.getFileName().toString().startsWith(NAME))
              .filter(folder -> !folder.getFileName().toString().startsWith(prefix()))
              .toList();
      old.forEach(Profiles::delete);
    }
  }

  /** What cannot be deleted is left for the next start of a server. */
  static void delete(Path folder) {
    try {
      Path _ =
          Files.walkFileTree(
              folder,
              new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                    throws IOException {
                  Files.delete(file);
                  return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path each, IOException failure)
                    throws IOException {
                  Files.delete(each);
                  return FileVisitResult.CONTINUE;
                }
              });
    } catch (IOException _) {
      // A process of the browser is still writing into it.
    }
  }

  /** In a container, each start of the server may have the same process id. */
  private static String prefix() {
    ProcessHandle server = ProcessHandle.current();
    long started = server.info().startInstant().orElse(Instant.EPOCH).toEpochMilli();
    return NAME + server.pid() + "-" + started + "-";
  }
}
