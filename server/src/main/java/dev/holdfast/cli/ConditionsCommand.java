package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** What is not well in the server. */
@Command(
    name = "conditions",
    description = "List everything that is degraded or failed, why, and how it ends.",
    footer = {"", "Example: holdfast conditions --json"})
final class ConditionsCommand implements Callable<Integer> {
  private final RootCommand root;

  ConditionsCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get("/api/v1/conditions"));
    if (root.json) {
      root.print(answer);
      return ExitCode.OK;
    }
    Terminal terminal = root.terminal();
    List<ServerCondition> conditions = ServerCondition.of(answer);
    if (conditions.isEmpty()) {
      terminal.line("all is well");
    }
    Instant now = root.environment.time().now();
    conditions.forEach(condition -> terminal.line(condition.line(terminal, now)));
    return ExitCode.OK;
  }
}
