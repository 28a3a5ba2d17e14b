package dev.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.config.Problem;
import dev.holdfast.config.Section;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;

/** The configuration, read as the server reads it. */
@Command(name = "config", description = "Check or show the configuration; no server is needed.")
final class ConfigCommand extends CommandGroup {
  private final Function<Section, ?> maker;

  ConfigCommand(RootCommand root, Function<Section, ?> maker) {
    super(root, "config check or show");
    this.maker = maker;
  }

  @Command(
      name = "check",
      description = "Report every problem with its line. Exit code 78 if there are any.",
      footer = {"", "Example: holdfast config check --config /etc/holdfast/holdfast.yaml"})
  int check() {
    List<Problem> problems = problems(root.configuration(), maker);
    if (root.json) {
      ObjectNode answer = CliJson.object().put("good", problems.isEmpty());
      ArrayNode list = answer.putArray("problems");
      for (Problem problem : problems) {
        list.addObject()
            .put("file", problem.file())
            .put("line", problem.line())
            .put("section", problem.section())
            .put("message", problem.message());
      }
      root.print(answer);
    } else if (problems.isEmpty()) {
      root.terminal()
          .line(
              root.configuration().present()
                  ? root.configFile() + " is good"
                  : root.configFile() + " does not exist: the defaults apply, and they are valid");
    } else {
      problems.forEach(problem -> root.terminal().line(VisibleText.lines(problem.toString(), "")));
    }
    return problems.isEmpty() ? ExitCode.OK : ExitCode.CONFIG;
  }

  @Command(
      name = "show",
      description = "Print every key with its current value; secrets as ***.",
      footer = {"", "A value from the file has its line number as a comment."})
  int show() {
    LoadedConfig loaded = root.configuration();
    List<Problem> problems = problems(loaded, maker);
    problems.forEach(problem -> root.terminal().note(VisibleText.lines(problem.toString(), "")));
    if (root.data != null) {
      loaded.override("server", "data_dir", root.data.toString());
    }
    if (root.json) {
      root.print(CliJson.object().set("config", CliJson.of(loaded.effective())));
    } else {
      root.terminal().line(VisibleText.lines(loaded.effectiveYaml(), "").stripTrailing());
    }
    return problems.isEmpty() ? ExitCode.OK : ExitCode.CONFIG;
  }

  static List<Problem> problems(LoadedConfig loaded, Function<Section, ?> maker) {
    try {
      Object _ = loaded.make(maker);
      return List.of();
    } catch (ConfigException e) {
      return e.problems();
    }
  }
}
