package dev.holdfast.tools.skills;

import dev.holdfast.processes.MachineGate;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.FileStatus;
import dev.holdfast.tools.files.SafeFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A folder in which skills lie, each in a folder of its own.
 *
 * @param path absolute; it may be missing
 * @param writable folders that models may write to: what lies there can be no skill
 */
record SkillFolder(Path path, List<Path> writable) {
  /** More are not looked at. */
  static final int FOLDERS_MAX = 1000;

  SkillFolder {
    writable = List.copyOf(writable);
  }

  boolean exists() {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Why nothing in it is used; empty when it is. Instructions come from the operator: so nobody
   * else may have put it there.
   */
  Optional<String> problem() {
    try {
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.of("is not a folder, or a link to one; links are not followed");
      }
      Optional<String> others = FileOwnership.problem(path);
      if (others.isPresent()) {
        return others;
      }
      Path real = path.toRealPath();
      for (Path folder : writable) {
        if (real.startsWith(real(folder))) {
          return Optional.of(
              "lies in " + folder + ", to which models may write: see tools.files.roots");
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("cannot be read: " + e.getMessage());
    }
  }

  private static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException _) {
      return folder;
    }
  }

  /** Names of the folders in it, sorted, at most {@link #FOLDERS_MAX}. */
  List<String> names() throws IOException, FileFailedException {
    try (SafeFolder open = SafeFolder.ofServer(path)) {
      List<String> names = new ArrayList<>();
      for (String name : open.names(FOLDERS_MAX).stream().sorted().toList()) {
        boolean isFile = open.status(name).filter(FileStatus::isFile).isPresent();
        if (!isFile && !name.startsWith(".")) {
          names.add(name);
        }
      }
      return names;
    }
  }

  private static Skill owned(Skill skill) throws IOException {
    Optional<String> folder = FileOwnership.problem(skill.folder());
    Optional<String> problem =
        folder.isPresent()
            ? folder.map(text -> "its folder " + text)
            : FileOwnership.problem(skill.folder().resolve(SkillReader.FILE))
                .map(text -> SkillReader.FILE + ": " + text);
    return problem.map(text -> Skill.broken(skill.name(), skill.folder(), text)).orElse(skill);
  }

  /** Empty when there is nothing under that name. */
  Optional<Skill> find(String name, MachineGate machine) {
    try (SafeFolder open = SafeFolder.ofServer(path)) {
      if (open.status(name).isEmpty()) {
        return Optional.empty();
      }
      Skill skill = SkillReader.read(open, path, name, machine);
      return Optional.of(skill.state() == SkillState.INVALID ? skill : owned(skill));
    } catch (FileFailedException | IOException e) {
      return Optional.of(
          Skill.broken(name, path.resolve(name), "cannot be read: " + e.getMessage()));
    }
  }
}
