package dev.holdfast.tools.skills;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The {@code tools.skills} section of holdfast.yaml.
 *
 * @param folders besides {@code data/skills}: absolute, in the server's working folder, or with
 *     {@code ~/} in its user's home
 */
public record SkillsConfig(List<String> folders) {
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

  public static SkillsConfig from(Section skills) {
    return new SkillsConfig(skills.texts("folders", USUAL));
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
