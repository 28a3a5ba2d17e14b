package dev.holdfast.tools.files;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.nio.file.Path;
import java.util.List;

/**
 * The {@code tools.files} section of holdfast.yaml.
 *
 * @param roots further folders, absolute, besides the scratch folder of each thread
 */
public record FilesConfig(boolean enabled, List<Path> roots, Retention backups) {
  public FilesConfig {
    roots = List.copyOf(roots);
    for (Path root : roots) {
      Check.that(root.isAbsolute(), "roots", "must be absolute paths, got " + root);
    }
  }

  /**
   * How long what a change replaced is kept.
   *
   * @param daysMax an older backup goes
   * @param megabytesMax of all backups together; the oldest go first
   */
  public record Retention(int daysMax, int megabytesMax) {
    public Retention {
      Check.inRange("keep_days", daysMax, 1, 3650);
      Check.inRange("max_mb", megabytesMax, 1, 1_000_000);
    }

    static Retention from(Section backups) {
      return new Retention(backups.whole("keep_days", 30), backups.whole("max_mb", 1024));
    }
  }

  public static FilesConfig from(Section files) {
    return new FilesConfig(
        files.flag("enabled", true),
        files.texts("roots", List.of()).stream().map(Path::of).toList(),
        files.section("backups").read(Retention::from));
  }
}
