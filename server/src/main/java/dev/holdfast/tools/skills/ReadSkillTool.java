package dev.holdfast.tools.skills;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.tools.files.FileFailedException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Reads the body of a skill, or one of its files. */
public final class ReadSkillTool implements Tool {
  public static final String NAME = "read_skill";

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "name": {"type": "string", "maxLength": 64},
         "file": {"type": "string", "minLength": 1, "maxLength": 1000,
           "description": "A file of the skill, such as references/guide.md. Leave it out for the instructions."}},
       "required": ["name"],
       "additionalProperties": false}
      """;

  private final Skills skills;
  private final SkillFiles files;

  public ReadSkillTool(Skills skills, SkillFiles files) {
    this.skills = skills;
    this.files = files;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Reads a skill: instructions for one kind of work, and files that belong to them. Read it"
            + " before you start.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.READ;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    JsonObject arguments = new JsonObject(argumentsJson);
    String file = arguments.getString("file", "");
    try {
      Skill skill = skills.ready(arguments.getString("name"));
      return file.isEmpty() ? ToolResult.ok(instructions(skill)) : read(skill, file);
    } catch (SkillRefusedException e) {
      return refused(e.getMessage());
    }
  }

  private static String instructions(Skill skill) {
    List<String> names = SkillFiles.list(skill);
    String body = skill.body().strip();
    return names.isEmpty()
        ? body
        : body
            + "\n\n[Files of this skill, for the argument file: %s]"
                .formatted(String.join(", ", names));
  }

  private ToolResult read(Skill skill, String file) {
    try {
      byte[] bytes = files.read(skill, file);
      return text(bytes)
          .map(ToolResult::ok)
          .orElseGet(
              () ->
                  refused(
                      "%s: is binary (%d bytes), not a text, and cannot be read here."
                          .formatted(file, bytes.length)));
    } catch (FileFailedException e) {
      return ToolResult.error(e.failure());
    } catch (IOException e) {
      return ToolResult.error(Failure.of(FailureCode.IO, file + ": " + e.getMessage()));
    }
  }

  /** Empty when the bytes are none. */
  private static Optional<String> text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return Optional.of(text).filter(all -> all.indexOf('\0') < 0);
    } catch (CharacterCodingException _) {
      return Optional.empty();
    }
  }

  private static ToolResult refused(String message) {
    return ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, message));
  }
}
