package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.config.EnvFile;
import dev.holdfast.processes.MachineGate;
import dev.holdfast.tools.skills.Skill;
import dev.holdfast.tools.skills.SkillFacts;
import dev.holdfast.tools.skills.SkillState;
import dev.holdfast.tools.skills.Skills;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The skills of a running server, and folders that are to become some. */
@Command(name = "skills", description = "List, examine and check skills.")
final class SkillsCommand extends CommandGroup {
  private static final String CALLS = "/api/v1/skills";

  SkillsCommand(RootCommand root) {
    super(root, "skills list, show or check");
  }

  @Command(
      name = "list",
      description = "List the skills with their states, and why one is not offered to models.",
      footer = {"", "Example: holdfast skills list"})
  int list() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(CALLS));
    List<JsonNode> _ =
        printList(
            answer,
            "skills",
            "no skills",
            List.of("SKILL", "STATE", "FOLDER", "REASON"),
            skill ->
                List.of(
                    CliJson.text(skill, "name"),
                    CliJson.text(skill, "state"),
                    CliJson.text(skill, "folder"),
                    CliJson.text(skill, "reason")));
    if (!root.json) {
      for (JsonNode skill : answer.path("skills")) {
        for (JsonNode notice : skill.path("notices")) {
          note(CliJson.text(skill, "name") + ": " + notice.asText());
        }
      }
      for (JsonNode folder : answer.path("folders")) {
        String problem = CliJson.text(folder, "problem");
        if (!problem.isEmpty()) {
          note("nothing in " + CliJson.text(folder, "folder") + " is used: it " + problem);
        }
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "show",
      description = "Print all that is known of one skill: its fields, what it needs and lacks.",
      footer = {"", "Example: holdfast skills show release"})
  int show(
      @Parameters(paramLabel = "SKILL", description = "Its name, as list shows it.") String name)
      throws CliException, InterruptedException {
    String path = CALLS + "/" + segment(name, "skill");
    JsonNode skill = root.ask(api -> api.get(path));
    return print(skill, () -> printSkill(skill));
  }

  @Command(
      name = "check",
      description = "Look at a folder without a server: whether it is a skill as specified.",
      footer = {"", "Example: holdfast skills check data/skills/release"})
  int check(@Parameters(paramLabel = "DIR", description = "The folder of the skill.") Path folder)
      throws CliException {
    EnvFile envFile = root.envFile();
    try {
      Skill skill =
          Skills.check(
              root.environment.folder().resolve(folder),
              new MachineGate(envFile.now(), envFile.file()));
      JsonNode json = CliJson.of(SkillFacts.whole(skill));
      int _ = print(json, () -> printSkill(json));
      return skill.state() == SkillState.INVALID ? ExitCode.NOT_GOOD : ExitCode.OK;
    } catch (IOException e) {
      throw new CliException(ExitCode.NOT_GOOD, "there is no folder " + folder);
    }
  }

  private void note(String text) {
    root.terminal().note(VisibleText.lines(text, ""));
  }

  private void printSkill(JsonNode skill) {
    List<String> lines = new ArrayList<>();
    lines.add(CliJson.text(skill, "name"));
    add(lines, "", CliJson.text(skill, "description"));
    add(lines, "state          ", CliJson.text(skill, "state"));
    skill.path("problems").forEach(problem -> lines.add("problem        " + problem.asText()));
    skill.path("notices").forEach(notice -> lines.add("notice         " + notice.asText()));
    for (JsonNode condition : skill.path("conditions")) {
      boolean met = condition.path("met").asBoolean();
      lines.add(
          "needs          %s %s%s"
              .formatted(
                  met ? "✓" : "✗",
                  CliJson.text(condition, "needs"),
                  met ? "" : ": " + CliJson.text(condition, "step")));
    }
    add(lines, "license        ", CliJson.text(skill, "license"));
    add(lines, "compatibility  ", CliJson.text(skill, "compatibility"));
    skill
        .path("metadata")
        .properties()
        .forEach(
            entry ->
                lines.add("metadata       " + entry.getKey() + ": " + entry.getValue().asText()));
    skill.path("allowed_tools").forEach(tool -> lines.add("allowed tool   " + tool.asText()));
    skill.path("files").forEach(file -> lines.add("file           " + file.asText()));
    add(lines, "folder         ", CliJson.text(skill, "folder"));
    lines.forEach(line -> root.terminal().line(VisibleText.lines(line, "")));
  }

  private static void add(List<String> lines, String head, String text) {
    if (!text.isEmpty()) {
      lines.add(head + text);
    }
  }
}
