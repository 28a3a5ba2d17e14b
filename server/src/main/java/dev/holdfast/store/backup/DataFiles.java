package dev.holdfast.store.backup;

import dev.holdfast.store.opening.Database;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of a data folder that outlive a run, apart from the database. */
final class DataFiles {
  /** What belongs to a run, or is made anew by each. */
  private static final Set<String> OF_A_RUN =
      Stream.concat(
              Database.FILES.stream(),
              Stream.of(
                  "clean_shutdown",
                  "stop_mark",
                  "stop_mark.ready",
                  "holdfast.lock",
                  "holdfast.pid",
                  RestoredCopy.NAME,
                  "tmp",
                  "plugin-copies",
                  "plugin-starts"))
          .collect(Collectors.toSet());

  /** Of programs whose user's home is the data folder, as of the package's. */
  private static final String CACHES = ".cache";

  private static final String UNFINISHED = ".tmp";

  private DataFiles() {}

  /** Whether a file of that path may come out of a backup. */
  static boolean isAllowed(String path) {
    if (path.equals(Manifest.DATABASE)) {
      return true;
    }
    List<String> steps = List.of(path.split("/", -1));
    return !path.contains("\\")
        && path.chars().noneMatch(Character::isISOControl)
        && steps.stream().noneMatch(step -> step.isEmpty() || step.equals(".") || step.equals(".."))
        && !OF_A_RUN.contains(steps.getFirst());
  }

  /** Their paths in the folder. Links are left out; so is what is being written. */
  static List<String> of(Path folder) throws IOException {
    List<String> paths = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String path = folder.relativize(file).toString();
            if (attributes.isRegularFile() && isAllowed(path) && !path.endsWith(UNFINISHED)) {
              paths.add(path);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
            String path = folder.relativize(each).toString();
            boolean ours = each.equals(folder) || (isAllowed(path) && !path.equals(CACHES));
            return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (Files.exists(file)) {
              throw e;
            }
            return FileVisitResult.CONTINUE; // a server has deleted it meanwhile
          }
        });
    paths.remove(Manifest.DATABASE);
    paths.sort(null);
    return paths;
  }
}
