package dev.holdfast.processes;

import dev.holdfast.config.Check;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder of the machine that a child is shown besides its own, with all that is in it.
 *
 * @param path absolute; no component of it may be a symbolic link, so that nobody who may write to
 *     another folder decides where it leads
 * @param isWritable in a sandbox; without one a child writes where its user may
 * @param isServers whether it may lie in a folder that is hidden as a whole, as the data folder is;
 *     no file of secrets may be in it all the same
 */
public record GrantedFolder(Path path, boolean isWritable, boolean isServers) {
  /** There a child has what it needs, and sees nothing of the machine's. */
  private static final List<Path> REFUSED =
      Stream.of("/dev", "/proc", "/sys").map(Path::of).toList();

  /** What is in them can be granted; they themselves are the child's own. */
  private static final List<Path> COVERED = Stream.of("/tmp", "/run").map(Path::of).toList();

  public GrantedFolder(Path path, boolean isWritable) {
    this(path, isWritable, false);
  }

  /** A folder of the server's own, for reading. */
  public static GrantedFolder ofServer(Path path) {
    return new GrantedFolder(path, false, true);
  }

  public GrantedFolder {
    String text = path.toString();
    Check.that(path.isAbsolute(), "path", "must be an absolute path, got " + text);
    Check.that(
        path.equals(path.normalize()) && text.chars().noneMatch(Character::isISOControl),
        "path",
        "must have no . or .. and no control characters in it");
    Check.that(
        path.getNameCount() > 0
            && !COVERED.contains(path)
            && REFUSED.stream().noneMatch(path::startsWith),
        "path",
        "must be a folder of files, got " + text);
  }

  /** An outer one before those in it, which so have the last word. */
  static List<GrantedFolder> inOrder(List<GrantedFolder> folders) {
    return folders.stream()
        .sorted(Comparator.comparing((GrantedFolder folder) -> folder.path().getNameCount()))
        .toList();
  }
}
