package dev.holdfast.tools.skills;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The {@code tools.skills} section of holdfast.yaml.
 *
 * @param folders besides {@code data/skills}: absolute, in the server's working folder, or with
 *     {@code ~/} in its user's home
 */
public record SkillsConfig(List<String> folders, Scripts scripts) {
  /** Where other programs look too. */
  private static final List<String> USUAL = List.of(".agents/skills", "~/.agents/skills");

  private static final String HOME = "~/";

  public SkillsConfig {
    folders = List.copyOf(folders);
    for (String folder : folders) {
      Check.that(
          !folder.isBlank() && folder.chars().noneMatch(Character::isISOControl),
          "folders",
          "must be paths of folders");
    }
  }

  /**
   * How scripts of skills are run.
   *
   * @param network whether they reach it
   */
  public record Scripts(boolean enabled, Duration timeout, boolean network) {
    public Scripts {
      Check.inRange("timeout_secs", timeout, Duration.ofSeconds(1), Duration.ofHours(24));
    }

    static Scripts from(Section scripts) {
      return new Scripts(
          scripts.flag("enabled", false),
          scripts.seconds("timeout_secs", 120),
          scripts.flag("network", false));
    }
  }

  public static SkillsConfig from(Section skills) {
    return new SkillsConfig(
        skills.texts("folders", USUAL), skills.section("scripts").read(Scripts::from));
  }

  /** Absolute, in their order: the data folder's come first. */
  public List<Path> folders(Path dataDir) {
    Path home = Path.of(System.getProperty("user.home"));
    return Stream.concat(
            Stream.of(dataDir.toAbsolutePath().resolve("skills")),
            folders.stream()
                .map(
                    folder ->
                        folder.startsWith(HOME)
                            ? home.resolve(folder.substring(HOME.length()))
                            : Path.of(folder).toAbsolutePath()))
        .toList();
  }
}
