package dev.holdfast.git;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.RootFolders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * A repository with a working tree, all of whose parts lie in the folders that the agent may reach.
 *
 * @param found its top folder
 * @param command how Git is run in it
 */
record Repository(RootFolders.Found found, GitCommand command) {
  private static final int POINTER_BYTES_MAX = 65_536;

  /** As many as Git itself follows. */
  private static final int ALTERNATES_DEPTH_MAX = 5;

  /** Whose entries Git reads or writes by fixed names. */
  private static final List<String> LOOKED_INTO =
      List.of("", "info", "logs", "refs", "refs/heads", "objects", "objects/info", "objects/pack");

  /** Refused when a part of it lies elsewhere. */
  static Repository open(RootFolders roots, String name)
      throws ActionRefusedException, IOException, InterruptedException {
    RootFolders.Found found = roots.folder(name);
    Path entry = found.path().resolve(".git");
    if (!Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
      throw new ActionRefusedException(
          ActionRefusedException.NOT_FOUND,
          found.path() + " is not the top folder of a Git repository: there is no .git in it.");
    }
    Path gitFolder = inside(roots, entry);
    if (Files.isRegularFile(gitFolder)) {
      String pointer = pointer(gitFolder);
      if (!pointer.startsWith("gitdir:")) {
        throw unreadable(entry);
      }
      gitFolder =
          inside(roots, resolved(found.path(), pointer.substring("gitdir:".length()).strip()));
    }
    Path shared = gitFolder;
    if (Files.exists(gitFolder.resolve("commondir"))) {
      shared = inside(roots, resolved(gitFolder, pointer(gitFolder.resolve("commondir"))));
    }
    for (String folder : LOOKED_INTO) {
      checkLinks(roots, gitFolder.resolve(folder));
      checkLinks(roots, shared.resolve(folder));
    }
    checkAlternates(roots, shared.resolve("objects"), 0);
    return new Repository(found, GitCommand.in(found.path(), gitFolder));
  }

  private static void checkLinks(RootFolders roots, Path folder)
      throws ActionRefusedException, IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path each : entries) {
        if (Files.isSymbolicLink(each)) {
          Path _ = inside(roots, each);
        }
      }
    }
  }

  /** Other repositories whose objects count as its own. */
  private static void checkAlternates(RootFolders roots, Path objects, int depth)
      throws ActionRefusedException, IOException {
    Path file = objects.resolve("info/alternates");
    if (!Files.exists(file)) {
      return;
    }
    if (depth == ALTERNATES_DEPTH_MAX) {
      throw new ActionRefusedException(
          ActionRefusedException.FORBIDDEN,
          "The repository borrows objects through too many others.");
    }
    for (String line : pointer(file).split("\n", -1)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        checkAlternates(roots, inside(roots, resolved(objects, line)), depth + 1);
      }
    }
  }

  /** The real path of something that Git follows. */
  private static Path inside(RootFolders roots, Path path)
      throws ActionRefusedException, IOException {
    Path real;
    try {
      real = path.toRealPath();
    } catch (IOException _) {
      throw new ActionRefusedException(
          ActionRefusedException.FORBIDDEN, "A part of the repository is not there: " + path + ".");
    }
    if (roots.rootOf(real).isEmpty()) {
      throw new ActionRefusedException(
          ActionRefusedException.FORBIDDEN,
          "A part of the repository lies outside of what this agent may reach: " + path + ".");
    }
    return real;
  }

  private static Path resolved(Path base, String pointer) throws ActionRefusedException {
    try {
      return base.resolve(pointer);
    } catch (InvalidPathException _) {
      throw unreadable(base);
    }
  }

  private static String pointer(Path file) throws ActionRefusedException, IOException {
    if (!Files.isRegularFile(file) || Files.size(file) > POINTER_BYTES_MAX) {
      throw unreadable(file);
    }
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
  }

  private static ActionRefusedException unreadable(Path file) {
    return new ActionRefusedException(
        ActionRefusedException.UNREADABLE,
        "A part of the repository cannot be read: " + file + ".");
  }
}
