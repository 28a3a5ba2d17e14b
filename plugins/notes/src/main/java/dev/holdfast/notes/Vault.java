package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.RootFolders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A folder of notes. Paths in it are judged by where they really lead. */
record Vault(RootFolders.Root root) {
  private static final String ENDING = ".md";
  private static final int PART_BYTES_MAX = 250;
  private static final int ENTRIES_MAX = 50_000;

  /** A note that was listed. */
  record Listed(Path file, String path, Instant modified, long bytes) {}

  /** Notes, the last changed first; {@code isCut} when there are more than were looked at. */
  record Listing(List<Listed> notes, boolean isCut) {}

  void requireWritable() throws ActionRefusedException {
    new RootFolders.Found(root.path(), root).requireWritable();
  }

  /** How a file is named to people. */
  String pathOf(Path file) {
    return root.path().relativize(file).toString();
  }

  /** The real path of a note that is there. */
  Path existing(String name) throws ActionRefusedException, IOException {
    Path file = named(name);
    if (!Files.exists(file)) {
      throw new ActionRefusedException(
          ActionRefusedException.NOT_FOUND, "There is no note " + pathOf(file) + ".");
    }
    Path real = checked(file.toRealPath());
    if (!Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID, pathOf(file) + " is not a file.");
    }
    return real;
  }

  /** The real path that a note has or would have. */
  Path whereToPut(String name) throws ActionRefusedException, IOException {
    Path file = named(name);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return existing(name);
    }
    Path folder = file.resolveSibling("");
    List<Path> missing = new ArrayList<>();
    while (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      missing.addFirst(folder.getFileName());
      folder = folder.resolveSibling("");
    }
    Path real = checked(folder.toRealPath());
    if (!Files.isDirectory(real)) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID, pathOf(real) + " is not a folder.");
    }
    for (Path each : missing) {
      real = real.resolve(each);
    }
    return real.resolve(file.getFileName());
  }

  /** The real path of a folder; the vault itself for an empty name. */
  Path folder(String name) throws ActionRefusedException, IOException {
    Path folder = name.isEmpty() || name.equals(".") ? root.path() : checkedParts(name);
    if (!Files.isDirectory(folder)) {
      throw new ActionRefusedException(
          ActionRefusedException.NOT_FOUND, "There is no folder " + name + ".");
    }
    return checked(folder.toRealPath());
  }

  private Path named(String name) throws ActionRefusedException {
    boolean hasEnding = name.toLowerCase(Locale.ROOT).endsWith(ENDING);
    return checkedParts(hasEnding ? name : name + ENDING);
  }

  private Path checkedParts(String name) throws ActionRefusedException {
    Path path = RootFolders.path(name);
    if (path.isAbsolute() || name.chars().anyMatch(Character::isISOControl)) {
      throw refused("must be relative to the vault, without control characters");
    }
    for (Path part : path) {
      if (part.toString().getBytes(StandardCharsets.UTF_8).length > PART_BYTES_MAX) {
        throw refused("has a part that is too long");
      }
    }
    return checked(root.path().resolve(path).normalize());
  }

  /** Refuses what lies outside, or in something hidden. */
  private Path checked(Path path) throws ActionRefusedException {
    if (!path.startsWith(root.path())) {
      throw refused("leads out of the vault");
    }
    for (Path part : root.path().relativize(path)) {
      if (part.toString().startsWith(".")) {
        throw refused("is hidden, or lies in something hidden");
      }
    }
    return path;
  }

  private static ActionRefusedException refused(String why) {
    return new ActionRefusedException(ActionRefusedException.FORBIDDEN, "The path " + why + ".");
  }

  /** Follows no links. */
  Listing notes(Path folder) throws IOException {
    List<Listed> notes = new ArrayList<>();
    int[] entries = {0};
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
            return !each.equals(folder) && isHidden(each)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) {
            if (++entries[0] > ENTRIES_MAX) {
              return FileVisitResult.TERMINATE;
            }
            if (attributes.isRegularFile()
                && !isHidden(each)
                && each.toString().toLowerCase(Locale.ROOT).endsWith(ENDING)) {
              Instant modified = attributes.lastModifiedTime().toInstant();
              notes.add(new Listed(each, pathOf(each), modified, attributes.size()));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path each, IOException e) {
            return FileVisitResult.CONTINUE; // it is gone, or another user's
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    notes.sort(Comparator.comparing(Listed::modified).reversed().thenComparing(Listed::path));
    return new Listing(notes, entries[0] > ENTRIES_MAX);
  }

  private static boolean isHidden(Path path) {
    return String.valueOf(path.getFileName()).startsWith(".");
  }
}
