package dev.holdfast.agentkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The folders that an agent may reach. What lies in one of them is judged by its real path: neither
 * {@code ..} nor a link leads out.
 */
public final class RootFolders {
  private static final String END = "--";

  private final List<Root> roots;

  /** One of them, by its real path. */
  public record Root(Path path, boolean isWritable) {}

  /** Something in one of them, by its real path. */
  public record Found(Path path, Root root) {
    /** Refuses a change where only reading is allowed. */
    public void requireWritable() throws ActionRefusedException {
      if (!root.isWritable()) {
        throw new ActionRefusedException(
            ActionRefusedException.FORBIDDEN,
            "The folder %s is read-only for this agent.".formatted(root.path()));
      }
    }
  }

  private RootFolders(List<Root> roots) {
    this.roots = List.copyOf(roots);
  }

  /**
   * Those that the command line names: all, {@code --}, and again those that may be changed.
   *
   * @param own the only one when none is named; made if it is not there
   */
  public static RootFolders of(List<String> arguments, Path own) throws IOException {
    int end = arguments.indexOf(END);
    List<String> all = end < 0 ? arguments : arguments.subList(0, end);
    List<String> writable = end < 0 ? List.of() : arguments.subList(end + 1, arguments.size());
    List<Root> roots = new ArrayList<>();
    for (String each : all) {
      roots.add(new Root(Path.of(each).toRealPath(), writable.contains(each)));
    }
    if (roots.isEmpty()) {
      roots.add(new Root(Files.createDirectories(own).toRealPath(), true));
    }
    return new RootFolders(roots);
  }

  public List<Root> roots() {
    return roots;
  }

  /** The innermost root that holds a real path. */
  public Optional<Root> rootOf(Path real) {
    return roots.stream()
        .filter(root -> real.startsWith(root.path()))
        .max(Comparator.comparing(root -> root.path().getNameCount()));
  }

  /**
   * Finds a folder.
   *
   * @param name absolute, or relative to one of the roots; empty for the only one
   */
  public Found folder(String name) throws ActionRefusedException, IOException {
    Found found = find(name);
    if (!Files.isDirectory(found.path(), LinkOption.NOFOLLOW_LINKS)) {
      throw new ActionRefusedException(ActionRefusedException.INVALID, name + " is no folder.");
    }
    return found;
  }

  private Found find(String name) throws ActionRefusedException, IOException {
    Path given = path(name);
    if (given.isAbsolute()) {
      if (rootOf(given).isEmpty()) {
        throw outside(name);
      }
      return real(given, name);
    }
    List<Path> candidates =
        roots.stream()
            .map(root -> root.path().resolve(given).normalize())
            .filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS))
            .toList();
    if (candidates.isEmpty()) {
      throw new ActionRefusedException(
          ActionRefusedException.NOT_FOUND, "There is no %s in %s.".formatted(name, names()));
    }
    if (candidates.size() > 1) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID,
          "Name one of them by its absolute path: " + candidates + ".");
    }
    return real(candidates.getFirst(), name);
  }

  private Found real(Path path, String name) throws ActionRefusedException, IOException {
    Path real;
    try {
      real = path.toRealPath();
    } catch (NoSuchFileException _) {
      throw new ActionRefusedException(
          ActionRefusedException.NOT_FOUND, "There is no " + name + ".");
    }
    return new Found(real, rootOf(real).orElseThrow(() -> outside(name)));
  }

  /** A path without {@code ..}, as it was given. */
  public static Path path(String name) throws ActionRefusedException {
    Path path;
    try {
      path = Path.of(name);
    } catch (InvalidPathException _) {
      throw new ActionRefusedException(ActionRefusedException.INVALID, "This is no path.");
    }
    for (Path part : path) {
      if (part.toString().equals("..")) {
        throw new ActionRefusedException(
            ActionRefusedException.FORBIDDEN, "A path must not have .. in it, got " + name + ".");
      }
    }
    return path;
  }

  private String names() {
    return String.join(", ", roots.stream().map(root -> root.path().toString()).toList());
  }

  private ActionRefusedException outside(String name) {
    return new ActionRefusedException(
        ActionRefusedException.FORBIDDEN,
        "%s lies outside of what this agent may reach: %s.".formatted(name, names()));
  }
}
