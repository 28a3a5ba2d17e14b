package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tool calls that wait for a person's yes. */
@Command(
    name = "approvals",
    description = "List, approve or deny tool calls that wait for a yes.",
    footer = {
      "",
      "ID is the whole id, or the short code when only one waiting call has it.",
      "A yes counts once, within 10 minutes, for that call with exactly those arguments.",
      "",
      "Examples:",
      "  holdfast approvals list",
      "  holdfast approvals approve 7F3KX"
    })
final class ApprovalsCommand implements Callable<Integer> {
  private static final String PATH = "/api/v1/approvals";

  private final RootCommand root;

  ApprovalsCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException {
    throw new CliException(ExitCode.USAGE, "say what: holdfast approvals list, approve or deny");
  }

  @Command(name = "list", description = "List the calls that wait, with their exact arguments.")
  int list(
      @Option(
              names = "--state",
              paramLabel = "STATE",
              defaultValue = "waiting",
              description =
                  "waiting, approved, denied, expired, used or all. Default: ${DEFAULT-VALUE}.")
          String state)
      throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH + "?state=" + Api.encoded(state)));
    if (root.json) {
      root.print(answer);
      return ExitCode.OK;
    }
    Screen screen = root.screen();
    List<JsonNode> approvals = Json.items(answer, "approvals");
    if (approvals.isEmpty()) {
      screen.line(state.equals("waiting") ? "nothing waits for a yes" : "none");
    }
    for (JsonNode approval : approvals) {
      screen.line(
          "%s  %s  %s, asks %s in %s"
              .formatted(
                  screen.bold(Json.text(approval, "code")),
                  state(approval),
                  Json.text(approval, "tool"),
                  Json.text(approval, "person"),
                  Json.text(approval, "thread_id")));
      screen.line("  id         " + Json.text(approval, "id"));
      screen.line("  until      " + Shown.day(approval.path("expires_at")));
      screen.line("  arguments  " + Screen.safe(Json.text(approval, "arguments")));
      String by = Json.text(approval, "decided_by");
      if (!by.isEmpty()) {
        screen.line("  answered   by " + by);
      }
    }
    return ExitCode.OK;
  }

  private String state(JsonNode approval) {
    String state = Json.text(approval, "state");
    return switch (state) {
      case "approved", "used" -> root.screen().good(state);
      case "denied", "expired" -> root.screen().bad(state);
      default -> root.screen().warning(state);
    };
  }

  @Command(name = "approve", description = "Let a call run.")
  int approve(@Parameters(paramLabel = "ID", description = "An id or a code.") String id)
      throws CliException, InterruptedException {
    return decide(id, "approve");
  }

  @Command(name = "deny", description = "Refuse a call.")
  int deny(@Parameters(paramLabel = "ID", description = "An id or a code.") String id)
      throws CliException, InterruptedException {
    return decide(id, "deny");
  }

  private int decide(String given, String word) throws CliException, InterruptedException {
    String id = byCode(given).orElse(given);
    String path = PATH + "/" + Api.encoded(id) + "/" + word;
    JsonNode answer = root.ask(api -> api.post(path, Json.object()));
    if (root.json) {
      root.print(answer);
    } else {
      root.screen()
          .line(
              "%s: %s %s"
                  .formatted(
                      Json.text(answer, "state"),
                      Json.text(answer, "tool"),
                      Screen.safe(Json.text(answer, "arguments"))));
    }
    return ExitCode.OK;
  }

  private Optional<String> byCode(String given) throws CliException, InterruptedException {
    if (given.contains("-")) {
      return Optional.empty();
    }
    JsonNode answer = root.ask(api -> api.get(PATH));
    List<JsonNode> same =
        Json.items(answer, "approvals").stream()
            .filter(approval -> Json.text(approval, "code").equalsIgnoreCase(given))
            .toList();
    if (same.size() > 1) {
      throw new CliException(
          ExitCode.USAGE, "several calls wait under " + given + ": give the whole id");
    }
    if (same.isEmpty()) {
      throw new CliException(ExitCode.NOT_GOOD, "nothing waits under the code " + given);
    }
    return Optional.of(Json.text(same.getFirst(), "id"));
  }
}
