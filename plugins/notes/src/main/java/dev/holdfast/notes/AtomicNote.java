package dev.holdfast.notes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Puts a whole file in its place: whoever looks sees the old one or the new one, after a crash too.
 */
final class AtomicNote {
  private static final String TEMPORARY = ".holdfast-note.tmp";

  private static final Set<PosixFilePermission> EXECUTE =
      EnumSet.of(
          PosixFilePermission.OWNER_EXECUTE,
          PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.OTHERS_EXECUTE);

  private AtomicNote() {}

  /**
   * Returns when it is on disk.
   *
   * @param mayReplace whether there may be a file already
   * @throws FileAlreadyExistsException when there is one and may not be
   */
  static void put(Path file, String text, boolean mayReplace) throws IOException {
    Path folder = file.resolveSibling("");
    makeFolders(folder);
    Path temporary = folder.resolve(TEMPORARY);
    Files.deleteIfExists(temporary); // what a crash left
    try (FileChannel channel =
        FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      likeItsNeighbours(temporary, file);
      channel.force(true);
    }
    try {
      if (mayReplace) {
        Files.move(
            temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } else {
        moveToNew(temporary, file);
      }
    } finally {
      Files.deleteIfExists(temporary);
    }
    force(folder);
  }

  /** A link fails when there is a file; some file systems have none. */
  private static void moveToNew(Path temporary, Path file) throws IOException {
    try {
      Files.createLink(file, temporary);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (FileSystemException _) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new FileAlreadyExistsException(file.toString());
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static void makeFolders(Path folder) throws IOException {
    List<Path> missing = new ArrayList<>();
    Path there = folder;
    while (!Files.exists(there)) {
      missing.addFirst(there);
      there = there.resolveSibling("");
    }
    for (Path each : missing) {
      Files.createDirectory(each);
      setPermissions(each, permissions(each.resolveSibling("")));
      force(each.resolveSibling(""));
    }
  }

  /** As the file that it replaces, else as its folder: whoever may list that may read it. */
  private static void likeItsNeighbours(Path temporary, Path file) throws IOException {
    if (Files.exists(file)) {
      setPermissions(temporary, permissions(file));
    } else {
      Set<PosixFilePermission> permissions = permissions(file.resolveSibling(""));
      permissions.removeAll(EXECUTE);
      setPermissions(temporary, permissions);
    }
  }

  /** None where the file system keeps none. */
  private static Set<PosixFilePermission> permissions(Path path) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    if (view != null) {
      permissions.addAll(view.readAttributes().permissions());
    }
    return permissions;
  }

  private static void setPermissions(Path path, Set<PosixFilePermission> permissions)
      throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    if (view != null && !permissions.isEmpty()) {
      view.setPermissions(permissions);
    }
  }

  private static void force(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
