package dev.holdfast.tools.skills;

import dev.holdfast.processes.MachineGate;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.SafeFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The skills that lie in {@code data/skills} and the configured folders, as they are now: read
 * fresh each time, and so is what they require. Of one name the first folder has it. Thread-safe.
 */
public final class Skills {
  private static final Logger LOG = LoggerFactory.getLogger(Skills.class);

  /** So many are listed to models, by their names; the others are left out. */
  public static final int LISTED_MAX = 100;

  private static final int PROBLEMS_MAX = 1000;

  private final List<SkillFolder> folders;
  private final Supplier<MachineGate> machine;

  /** What was complained of, so that a turn does not do it again. */
  private final Set<String> reported = ConcurrentHashMap.newKeySet();

  /**
   * @param folders absolute; the first of a name wins. Those that do not exist are left out
   * @param writable folders that models may write to, in which no skill can be
   * @param machine what skills may require, as it is now
   */
  public Skills(
      Collection<Path> folders, Collection<Path> writable, Supplier<MachineGate> machine) {
    this.folders =
        folders.stream()
            .map(Path::normalize)
            .distinct()
            .map(path -> new SkillFolder(path, List.copyOf(writable)))
            .toList();
    this.machine = machine;
  }

  /**
   * A folder of skills as operators see it.
   *
   * @param problem why nothing in it is used; empty when it is
   */
  public record Place(Path folder, String problem) {}

  /** Those that exist, in their order. */
  public List<Place> places() {
    return folders.stream()
        .filter(SkillFolder::exists)
        .map(folder -> new Place(folder.path(), folder.problem().orElse("")))
        .toList();
  }

  /** Every skill, ready or not, by names. */
  public List<Skill> all() {
    MachineGate now = machine.get();
    Map<String, Skill> found = new TreeMap<>();
    for (SkillFolder folder : usable()) {
      for (String name : names(folder)) {
        folder
            .find(name, now)
            .ifPresent(skill -> found.merge(name, skill, (first, other) -> noting(first, other)));
      }
    }
    List<Skill> all = new ArrayList<>();
    int ready = 0;
    for (Skill skill : found.values()) {
      boolean isReady = skill.state() == SkillState.READY;
      boolean isLeftOut = isReady && ready >= LISTED_MAX;
      ready += isReady ? 1 : 0;
      all.add(
          isLeftOut
              ? skill.noting(
                  "models are told of the first %d skills alone, by their names"
                      .formatted(LISTED_MAX))
              : skill);
    }
    return all;
  }

  private static Skill noting(Skill first, Skill other) {
    return first.noting("there is another one in %s, which is not used".formatted(other.folder()));
  }

  /** Those that models are told of, by names. What is wrong with the others is logged once. */
  public List<Skill> list() {
    List<Skill> ready = new ArrayList<>();
    for (Skill skill : all()) {
      if (skill.state() == SkillState.READY) {
        ready.add(skill);
      } else {
        report("skill " + skill.name() + ": " + skill.state().label() + ": " + skill.reason());
      }
    }
    return List.copyOf(ready.subList(0, Math.min(ready.size(), LISTED_MAX)));
  }

  /** In any state; empty when there is none under that name, which is never a path. */
  public Optional<Skill> find(String name) {
    if (!SkillHeadReader.NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    MachineGate now = machine.get();
    return usable().stream().flatMap(folder -> folder.find(name, now).stream()).findFirst();
  }

  /**
   * For a model.
   *
   * @throws SkillRefusedException when there is none under that name, or it is not ready
   */
  public Skill ready(String name) throws SkillRefusedException {
    Skill skill =
        find(name)
            .filter(found -> found.state() != SkillState.INVALID)
            .orElseThrow(() -> new SkillRefusedException("There is no skill with that name."));
    if (skill.state() == SkillState.GATED) {
      throw new SkillRefusedException(
          "The skill " + name + " cannot be used now: " + skill.reason() + ".");
    }
    return skill;
  }

  /**
   * A folder of which somebody wants to know whether it is a skill, wherever it is.
   *
   * @throws IOException when there is no such folder
   */
  public static Skill check(Path folder, MachineGate machine) throws IOException {
    Path real = folder.toRealPath();
    Path parent = real.getParent();
    if (parent == null) {
      throw new IOException("the root of the file system is no skill");
    }
    try (SafeFolder open = SafeFolder.ofServer(parent)) {
      return SkillReader.read(open, parent, String.valueOf(real.getFileName()), machine);
    } catch (FileFailedException e) {
      throw new IOException(e.failure().message(), e);
    }
  }

  private List<SkillFolder> usable() {
    return folders.stream()
        .filter(SkillFolder::exists)
        .filter(
            folder -> {
              Optional<String> problem = folder.problem();
              problem.ifPresent(
                  text -> report("skills: nothing in " + folder.path() + " is used: it " + text));
              return problem.isEmpty();
            })
        .toList();
  }

  private List<String> names(SkillFolder folder) {
    try {
      return folder.names();
    } catch (IOException | FileFailedException e) {
      report("skills: " + folder.path() + " cannot be read: " + e.getMessage());
      return List.of();
    }
  }

  private void report(String sentence) {
    if (reported.size() < PROBLEMS_MAX && reported.add(sentence)) {
      LOG.warn("{}", sentence);
    }
  }
}
