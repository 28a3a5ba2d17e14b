package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tool calls that wait for a person's yes. */
@Command(
    name = "approvals",
    description = "List, approve or deny tool calls that wait for approval.",
    footer = {
      "",
      "ID is the full id, or the short code if only one waiting call has it.",
      "An approval is valid once, for 10 minutes, for exactly that call and those arguments.",
      "",
      "Examples:",
      "  holdfast approvals list",
      "  holdfast approvals approve 7F3KX"
    })
final class ApprovalsCommand extends CommandGroup {
  private static final String PATH = "/api/v1/approvals";

  ApprovalsCommand(RootCommand root) {
    super(root, "approvals list, approve or deny");
  }

  @Command(name = "list", description = "List the waiting calls with their exact arguments.")
  int list(
      @Option(
              names = "--state",
              paramLabel = "STATE",
              defaultValue = "waiting",
              description =
                  "waiting, approved, denied, expired, used or all. Default: ${DEFAULT-VALUE}.")
          String state)
      throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH + "?state=" + ApiClient.encoded(state)));
    if (root.json) {
      root.print(answer);
      return ExitCode.OK;
    }
    Terminal terminal = root.terminal();
    List<JsonNode> approvals = CliJson.items(answer, "approvals");
    if (approvals.isEmpty()) {
      terminal.line(state.equals("waiting") ? "nothing is waiting for approval" : "none");
    }
    for (JsonNode approval : approvals) { // no table: nobody may say yes to what was cut off
      terminal.line(
          "%s  %s  %s, asks %s in %s"
              .formatted(
                  terminal.bold(CliJson.text(approval, "code")),
                  state(approval),
                  CliJson.text(approval, "tool"),
                  CliJson.text(approval, "person"),
                  CliJson.text(approval, "thread_id")));
      terminal.field("id", CliJson.text(approval, "id"));
      terminal.field("until", Formats.day(approval.path("expires_at")));
      terminal.field("arguments", CliJson.text(approval, "arguments"));
      String by = CliJson.text(approval, "decided_by");
      if (!by.isEmpty()) {
        terminal.field("answered", "by " + by + ", " + Formats.day(approval.path("decided_at")));
      }
      String result = CliJson.text(approval, "result").replace('_', ' ');
      if (!result.isEmpty()) {
        terminal.field("the call", result);
      }
    }
    return ExitCode.OK;
  }

  private String state(JsonNode approval) {
    String state = CliJson.text(approval, "state");
    return switch (state) {
      case "approved", "used" -> root.terminal().good(state);
      case "denied", "expired" -> root.terminal().bad(state);
      default -> root.terminal().warning(state);
    };
  }

  @Command(name = "approve", description = "Approve a call.")
  int approve(@Parameters(paramLabel = "ID", description = "An id or a code.") String id)
      throws CliException, InterruptedException {
    return decide(id, "approve");
  }

  @Command(name = "deny", description = "Deny a call.")
  int deny(@Parameters(paramLabel = "ID", description = "An id or a code.") String id)
      throws CliException, InterruptedException {
    return decide(id, "deny");
  }

  private int decide(String given, String word) throws CliException, InterruptedException {
    String id = byCode(given).orElse(given);
    String path = PATH + "/" + ApiClient.encoded(id) + "/" + word;
    JsonNode answer = root.ask(api -> api.post(path, CliJson.object()));
    if (root.json) {
      root.print(answer);
    } else {
      root.terminal()
          .line(
              "%s: %s %s"
                  .formatted(
                      CliJson.text(answer, "state"),
                      CliJson.text(answer, "tool"),
                      CliJson.text(answer, "arguments")));
    }
    return ExitCode.OK;
  }

  private Optional<String> byCode(String given) throws CliException, InterruptedException {
    if (given.contains("-")) {
      return Optional.empty();
    }
    JsonNode answer = root.ask(api -> api.get(PATH));
    List<JsonNode> same =
        CliJson.items(answer, "approvals").stream()
            .filter(approval -> CliJson.text(approval, "code").equalsIgnoreCase(given))
            .toList();
    if (same.size() > 1) {
      throw new CliException(
          ExitCode.USAGE,
          "several calls are waiting with the code " + given + ": give the full id");
    }
    if (same.isEmpty()) {
      throw new CliException(ExitCode.NOT_GOOD, "nothing is waiting with the code " + given);
    }
    return Optional.of(CliJson.text(same.getFirst(), "id"));
  }
}
