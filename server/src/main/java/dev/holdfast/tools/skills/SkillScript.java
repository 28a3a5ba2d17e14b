package dev.holdfast.tools.skills;

import dev.holdfast.tools.files.FileFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A script of a skill, ready to be run.
 *
 * @param folder the skill's, its real path
 * @param command what runs it, without arguments
 */
public record SkillScript(Path folder, List<String> command) {
  private static final String FOLDER = "scripts/";

  /** By what stands behind the last dot of the name, for scripts that do not say it themselves. */
  private static final Map<String, String> INTERPRETERS =
      Map.of(
          "py", "python3", "sh", "sh", "bash", "bash", "js", "node", "mjs", "node", "rb", "ruby",
          "pl", "perl");

  public SkillScript {
    command = List.copyOf(command);
  }

  /**
   * @param path from the skill's folder or from its folder {@code scripts}
   * @throws FileFailedException when it leads out of that, or is no plain file that can be run
   */
  public static SkillScript find(SkillFiles files, Skill skill, String path)
      throws FileFailedException, IOException {
    String inFolder = path.startsWith("./") ? path.substring(2) : path;
    String script = inFolder.startsWith(FOLDER) ? inFolder : FOLDER + inFolder;
    if (path.startsWith("/")) {
      throw FileFailedException.refused(
          path + ": must be a path from the skill's folder, such as scripts/run.sh");
    }
    byte[] bytes = files.read(skill, script);
    files.checkAll(skill);
    Path folder = skill.folder().toRealPath();
    Path file = folder.resolve(script).normalize(); // its steps were walked, and none led up
    if (Files.isExecutable(file) && saysWhatRunsIt(bytes)) {
      return new SkillScript(folder, List.of(file.toString()));
    }
    String interpreter =
        Optional.ofNullable(INTERPRETERS.get(ending(script)))
            .orElseThrow(
                () ->
                    FileFailedException.refused(
                        script
                            + ": it is not clear what runs it: make it executable with #! in its"
                            + " first line, or end its name in .py, .sh, .js, .rb or .pl"));
    return new SkillScript(folder, List.of(interpreter, file.toString()));
  }

  private static boolean saysWhatRunsIt(byte[] bytes) {
    String begin = new String(bytes, 0, Math.min(bytes.length, 4), StandardCharsets.ISO_8859_1);
    return begin.startsWith("#!") || begin.equals("\u007fELF");
  }

  private static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
