package dev.holdfast.tools.skills;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import io.vertx.core.json.JsonObject;

/** Reads the body of a skill. */
public final class ReadSkillTool implements Tool {
  public static final String NAME = "read_skill";

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {"name": {"type": "string", "maxLength": 64}},
       "required": ["name"],
       "additionalProperties": false}
      """;

  private final Skills skills;

  public ReadSkillTool(Skills skills) {
    this.skills = skills;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Reads a skill: instructions for one kind of work. Read it before you start.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.READ;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    String name = new JsonObject(argumentsJson).getString("name");
    return skills.find(name).map(ReadSkillTool::read).orElseGet(() -> refused(UNKNOWN));
  }

  private static final String UNKNOWN = "There is no skill with that name.";

  private static ToolResult read(Skill skill) {
    return switch (skill.state()) {
      case READY -> ToolResult.ok(skill.body().strip());
      case GATED ->
          refused("The skill " + skill.name() + " cannot be used now: " + skill.reason() + ".");
      case INVALID -> refused(UNKNOWN);
    };
  }

  private static ToolResult refused(String message) {
    return ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, message));
  }
}
