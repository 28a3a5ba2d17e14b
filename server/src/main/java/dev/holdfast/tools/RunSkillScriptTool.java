package dev.holdfast.tools;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenSource;
import dev.holdfast.processes.GrantedFolder;
import dev.holdfast.processes.ProcessSpec;
import dev.holdfast.processes.ProcessSpec.Limits;
import dev.holdfast.tools.skills.Skill;
import dev.holdfast.tools.skills.SkillFiles;
import dev.holdfast.tools.skills.SkillRefusedException;
import dev.holdfast.tools.skills.SkillScript;
import dev.holdfast.tools.skills.Skills;
import dev.holdfast.tools.skills.SkillsConfig;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs a script of a skill in a sandbox, and nowhere else: in the thread's scratch folder, with the
 * skill's folder to read, without variables of the server, and without a network unless that is
 * granted. What it does cannot be known: UNSAFE.
 */
public final class RunSkillScriptTool implements Tool {
  public static final String NAME = "run_skill_script";

  private static final long OUTPUT_BYTES_MAX = 1 << 20;

  /** For ending a script that ignores TERM, before the box around this tool loses its patience. */
  private static final Duration ENDING = Duration.ofSeconds(15);

  private static final int LABEL_CHARACTERS_MAX = 100;

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "name": {"type": "string", "maxLength": 64, "description": "The skill."},
         "script": {"type": "string", "minLength": 1, "maxLength": 1000,
           "description": "A file of its folder scripts, such as scripts/extract.py."},
         "args": {"type": "array", "maxItems": 100,
           "items": {"type": "string", "maxLength": 10000}},
         "input": {"type": "string", "maxLength": 1000000, "description": "For its standard input."}},
       "required": ["name", "script"],
       "additionalProperties": false}
      """;

  private final Skills skills;
  private final SkillFiles files;
  private final ChildrenSource children;
  private final SkillsConfig.Scripts config;

  public RunSkillScriptTool(
      Skills skills, SkillFiles files, ChildrenSource children, SkillsConfig.Scripts config) {
    this.skills = skills;
    this.files = files;
    this.children = children;
    this.config = config;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Runs a script of a skill in this thread's working folder and returns its output and exit"
            + " code. It sees the skill's folder and has "
            + (config.network() ? "a" : "no")
            + " network. At most "
            + config.timeout().toSeconds()
            + " s.",
        SCHEMA);
  }

  @Override
  public Duration timeout() {
    return config.timeout().plus(ENDING);
  }

  @Override
  public String label(String argumentsJson) {
    try {
      JsonObject arguments = new JsonObject(argumentsJson);
      List<String> words = new ArrayList<>();
      words.add(arguments.getString("name", ""));
      words.add(arguments.getString("script", ""));
      words.addAll(texts(arguments));
      String line = String.join(" ", words).strip().replaceAll("\\s+", " ");
      int[] points = line.codePoints().limit(LABEL_CHARACTERS_MAX).toArray();
      return NAME + ": " + new String(points, 0, points.length);
    } catch (DecodeException | ClassCastException _) {
      return NAME;
    }
  }

  private static List<String> texts(JsonObject arguments) {
    return arguments.getJsonArray("args", new JsonArray()).stream().map(String::valueOf).toList();
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    JsonObject arguments = new JsonObject(argumentsJson);
    context.progress().doing(label(argumentsJson));
    try {
      Skill skill = skills.ready(arguments.getString("name"));
      SkillScript script = SkillScript.find(files, skill, arguments.getString("script"));
      List<String> command = new ArrayList<>(script.command());
      command.addAll(texts(arguments));
      ProcessSpec spec =
          new ProcessSpec(
              command,
              context.scratch(),
              List.of(GrantedFolder.ofServer(script.folder())),
              config.network(),
              Map.of(),
              arguments.getString("input", ""),
              config.timeout(),
              Limits.DEFAULT,
              OUTPUT_BYTES_MAX);
      return ChildReport.of("script", sandbox().run(spec), config.timeout());
    } catch (SkillRefusedException e) {
      return ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, e.getMessage()));
    } catch (CallFailedException e) {
      return ToolResult.error(e.failure());
    } catch (IOException e) {
      return ToolResult.error(Failure.of(FailureCode.IO, "The script: " + e.getMessage()));
    }
  }

  private Children sandbox() throws CallFailedException, InterruptedException {
    Children opened = children.get();
    if (opened.isolation() == Children.Isolation.PROCESS_GROUP) {
      throw new CallFailedException(
          Failure.of(
                  FailureCode.IO,
                  "Scripts of skills run in a sandbox only, and there is none on this machine: a"
                      + " person has to install bubblewrap and allow namespaces; see holdfast"
                      + " doctor.")
              .as(FailureKind.PERMANENT));
    }
    return opened;
  }
}
