package dev.holdfast.tools.skills;

import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.FileStatus;
import dev.holdfast.tools.files.PathSteps;
import dev.holdfast.tools.files.SafeFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a skill besides its SKILL.md. Each step is opened within the one before, and no link
 * is followed. Thread-safe.
 */
public final class SkillFiles {
  public static final int FILE_BYTES_MAX = 262_144;

  /** More are not listed. */
  public static final int LISTED_MAX = 200;

  private static final Logger LOG = LoggerFactory.getLogger(SkillFiles.class);
  private static final int DEPTH_MAX = 5;
  private static final int NAMES_MAX = 1000;

  /** A skill with more of them runs no scripts. */
  private static final int FILES_MAX = 10_000;

  private final Supplier<? extends Collection<Path>> secrets;

  /**
   * @param secrets files that no tool may reach, wherever they are
   */
  public SkillFiles(Supplier<? extends Collection<Path>> secrets) {
    this.secrets = secrets;
  }

  /**
   * All bytes of a file.
   *
   * @param path from the skill's folder
   * @throws FileFailedException when it leads out, there is no such plain file, it is too large,
   *     somebody writes to it meanwhile, or it holds secrets
   */
  public byte[] read(Skill skill, String path) throws FileFailedException, IOException {
    List<String> steps = steps(skill, path);
    SafeFolder at = SafeFolder.ofServer(skill.folder());
    try {
      for (String name : steps.subList(0, steps.size() - 1)) {
        try (SafeFolder above = at) {
          at = above.folder(name);
        }
      }
      byte[] bytes = at.read(steps.getLast(), FILE_BYTES_MAX);
      Path file = skill.folder();
      for (String name : steps) {
        file = file.resolve(name);
        checkOwned(skill, file);
      }
      return bytes;
    } finally {
      at.close();
    }
  }

  private static void checkOwned(Skill skill, Path file) throws FileFailedException, IOException {
    Optional<String> problem = FileOwnership.problem(file);
    if (problem.isPresent()) {
      throw FileFailedException.refused(skill.folder().relativize(file) + ": " + problem.get());
    }
  }

  /**
   * Looks at all that a script of a skill can read and run.
   *
   * @throws FileFailedException when somebody else may have written some of it, a name in it is one
   *     of a file with secrets, or there is too much of it
   */
  void checkAll(Skill skill) throws FileFailedException, IOException {
    Set<Object> hidden = new HashSet<>();
    for (Path secret : secrets.get()) {
      if (Files.exists(secret)) {
        hidden.add(Files.getAttribute(secret, "unix:fileKey"));
      }
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(skill.folder())) {
      all = walk.limit(FILES_MAX + 1L).toList();
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (all.size() > FILES_MAX) {
      throw FileFailedException.refused("the skill has more than " + FILES_MAX + " files");
    }
    for (Path file : all) {
      checkOwned(skill, file);
      if (hidden.contains(Files.getAttribute(file, "unix:fileKey", LinkOption.NOFOLLOW_LINKS))) {
        throw FileFailedException.refused(
            skill.folder().relativize(file) + ": is the server's own, under another name");
      }
    }
  }

  private List<String> steps(Skill skill, String path) throws FileFailedException {
    List<String> steps = PathSteps.of(path);
    if (path.startsWith("/") || steps.isEmpty()) {
      throw FileFailedException.refused(
          path + ": must be a path from the skill's folder, such as references/guide.md");
    }
    Path file = skill.folder().resolve(String.join("/", steps));
    for (Path secret : secrets.get()) {
      if (real(secret).equals(real(file))) {
        throw FileFailedException.refused(path + ": is the server's own");
      }
    }
    return steps;
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException _) {
      return path.toAbsolutePath().normalize();
    }
  }

  /** Paths of the plain files, sorted, at most {@link #LISTED_MAX}. */
  public static List<String> list(Skill skill) {
    List<String> files = new ArrayList<>();
    try (SafeFolder folder = SafeFolder.ofServer(skill.folder())) {
      addFiles(folder, "", 1, files);
    } catch (FileFailedException | IOException e) {
      LOG.warn("skill {}: its files cannot be listed: {}", skill.name(), e.getMessage());
    }
    files.remove(SkillReader.FILE);
    return List.copyOf(files.subList(0, Math.min(files.size(), LISTED_MAX)));
  }

  private static void addFiles(SafeFolder folder, String above, int depth, List<String> files)
      throws FileFailedException {
    for (String name : folder.names(NAMES_MAX).stream().sorted().toList()) {
      Optional<FileStatus> status = folder.status(name);
      if (name.startsWith(".") || status.isEmpty() || files.size() > LISTED_MAX) {
        continue;
      }
      if (status.get().isFile()) {
        files.add(above + name);
      } else if (status.get().isFolder() && depth < DEPTH_MAX) {
        try (SafeFolder own = folder.folder(name)) {
          addFiles(own, above + name + "/", depth + 1, files);
        }
      }
    }
  }
}
