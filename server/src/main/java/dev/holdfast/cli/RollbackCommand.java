package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Undoes what a tool call changed. */
@Command(
    name = "rollback",
    description = "Undo everything that a finished tool call changed, or nothing.",
    footer = {
      "",
      "holdfast trace <event> and holdfast audit list show the EXECUTION of each tool call.",
      "",
      "Example: holdfast rollback 0199c0de-1f2e-7abc-8def-0123456789ab.1.1"
    })
final class RollbackCommand implements Callable<Integer> {
  private final RootCommand root;

  @Parameters(paramLabel = "EXECUTION", description = "The id of a tool call.")
  String execution = "";

  @Option(names = "--force", description = "Undo it even if something has changed since.")
  boolean force;

  RollbackCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    String path = "/api/v1/executions/" + ApiClient.encoded(execution) + "/rollback";
    JsonNode answer = root.ask(api -> api.post(path, CliJson.object().put("force", force)));
    if (root.json) {
      root.print(answer);
    } else {
      int files = answer.path("files").asInt();
      root.terminal().line("undone: " + files + (files == 1 ? " file" : " files"));
    }
    return ExitCode.OK;
  }
}
