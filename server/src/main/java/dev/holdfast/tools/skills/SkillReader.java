package dev.holdfast.tools.skills;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.processes.MachineGate;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.SafeFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a folder that should hold a skill. Follows no link. Thread-safe. */
final class SkillReader {
  static final String FILE = "SKILL.md";

  static final int FILE_BYTES_MAX = 65_536;
  static final int HEAD_MAX = 16_384;

  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());
  private static final Pattern HEAD =
      Pattern.compile(
          "\\A\\uFEFF?---[ \\t]*\\r?\\n(.*?)\\r?\\n---[ \\t]*(?:\\r?\\n|\\z)", Pattern.DOTALL);

  private SkillReader() {}

  /**
   * @param root the folder in which the skill's is, open
   * @param path where that is
   */
  static Skill read(SafeFolder root, Path path, String name, MachineGate machine) {
    Path folder = path.resolve(name);
    if (!SkillHeadReader.NAME.matcher(name).matches() || name.length() > SkillHeadReader.NAME_MAX) {
      return Skill.broken(
          name,
          folder,
          "the folder's name may hold lower-case letters, digits and single hyphens between them, at"
              + " most "
              + SkillHeadReader.NAME_MAX
              + ": rename it");
    }
    try (SafeFolder own = root.folder(name)) {
      if (own.status(FILE).isEmpty()) {
        return Skill.broken(name, folder, "there is no " + FILE + ": write one");
      }
      return parsed(name, folder, text(own.read(FILE, FILE_BYTES_MAX)), machine);
    } catch (FileFailedException e) {
      return Skill.broken(name, folder, refused(e));
    } catch (CharacterCodingException _) {
      return Skill.broken(name, folder, FILE + ": is not UTF-8: save it as such");
    } catch (IOException e) {
      return Skill.broken(name, folder, FILE + ": cannot be read: " + e.getMessage());
    }
  }

  private static String refused(FileFailedException e) {
    String message = e.failure().message();
    return message.contains("is larger than")
        ? message + ": move parts of it to files of their own"
        : message;
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  private static Skill parsed(String name, Path folder, String text, MachineGate machine) {
    Matcher head = HEAD.matcher(text);
    if (!head.find()) {
      return Skill.broken(
          name,
          folder,
          FILE
              + ": does not begin with a front matter: put name: and description: between two"
              + " lines of ---");
    }
    if (head.group(1).length() > HEAD_MAX) {
      return Skill.broken(
          name,
          folder,
          "%s: the front matter has more than %d characters: shorten it".formatted(FILE, HEAD_MAX));
    }
    SkillHeadReader fields = new SkillHeadReader(name);
    try {
      SkillHead read = fields.read(tree(head.group(1)));
      return new Skill(
          name,
          folder,
          read,
          text.substring(head.end()),
          read.needs().judge(machine),
          fields.problems().stream().map(problem -> FILE + ": " + problem).toList(),
          fields.notices().stream().map(notice -> FILE + ": " + notice).toList());
    } catch (JacksonException e) {
      return Skill.broken(name, folder, FILE + ": " + notYaml(e));
    }
  }

  private static JsonNode tree(String head) throws JacksonException {
    return YAML.readTree(head);
  }

  /** The line in the file, in which the front matter begins with the second. */
  private static String notYaml(JacksonException e) {
    String line =
        Optional.ofNullable(e.getLocation())
            .filter(at -> at.getLineNr() > 0)
            .map(at -> " in line " + (at.getLineNr() + 1))
            .orElse("");
    String first = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("").strip();
    return "the front matter is not YAML%s (%s): put texts that hold : or # in quotes"
        .formatted(line, first);
  }
}
