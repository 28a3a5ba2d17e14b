package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The mode of the server, and an operator's word on it. */
@Command(
    name = "mode",
    description = "Show the server's mode, stop its work, or resume it.",
    footer = {
      "",
      "safe: messages are accepted and kept, but nothing runs, even after a restart; auto: work"
          + " resumes,",
      "and the server chooses its mode from the state of its parts.",
      "",
      "Examples:",
      "  holdfast mode",
      "  holdfast mode safe --reason 'wrong answers since the last release'",
      "  holdfast mode auto"
    })
final class ModeCommand implements Callable<Integer> {
  private static final String PATH = "/api/v1/mode";
  private static final int SHOWN = 10;
  private static final String UNKEPT = ", and the new reason was not stored";

  private final RootCommand root;

  @Parameters(
      paramLabel = "MODE",
      arity = "0..1",
      description = "safe or auto. Without it, the mode is shown.")
  String mode = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "The reason, for the list of changes and the audit.")
  String reason = "";

  ModeCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    if (!List.of("", "safe", "auto").contains(mode)) {
      throw new CliException(ExitCode.USAGE, "'%s' is no mode: give safe or auto".formatted(mode));
    }
    if (mode.isEmpty() && !reason.isEmpty()) {
      throw new CliException(ExitCode.USAGE, "--reason needs safe or auto");
    }
    JsonNode now =
        mode.isEmpty()
            ? root.ask(api -> api.get(PATH))
            : root.ask(
                api -> api.post(PATH, CliJson.object().put("mode", mode).put("reason", reason)));
    if (root.json) {
      root.print(now);
    } else {
      show(now);
    }
    return ExitCode.OK;
  }

  private void show(JsonNode now) {
    Terminal terminal = root.terminal();
    String since = now.path("since").isNull() ? "" : " since " + Formats.day(now.path("since"));
    terminal.line(CliJson.text(now, "mode") + since);
    terminal.line(VisibleText.lines(CliJson.text(now, "reason"), ""));
    terminal.line(CliJson.text(now, "exit_rule"));
    if (now.path("changed").isBoolean() && !now.path("changed").asBoolean()) {
      terminal.note(
          "nothing has changed: the server was in that mode already"
              + (reason.isEmpty() ? "" : UNKEPT));
    }
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode change : CliJson.items(now, "changes").stream().limit(SHOWN).toList()) {
      rows.add(
          List.of(
              Formats.day(change.path("at")),
              CliJson.text(change, "from"),
              CliJson.text(change, "to"),
              CliJson.text(change, "by"),
              CliJson.text(change, "reason")));
    }
    if (!rows.isEmpty()) {
      terminal.line("");
      terminal.table(List.of("AT", "FROM", "TO", "BY", "WHY"), rows);
    }
  }
}
