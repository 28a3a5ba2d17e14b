package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The circuit breakers in front of what the server calls. */
@Command(
    name = "breakers",
    description =
        "List, open or close the circuit breakers in front of models, accounts and the web.",
    footer = {
      "",
      "An open breaker lets no call through; after a while it tries one at a time and closes if"
          + " they work.",
      "One that was opened by hand stays open until it is reset by hand.",
      "",
      "Examples:",
      "  holdfast breakers list",
      "  holdfast breakers reset llm:anthropic"
    })
final class BreakersCommand extends CommandGroup {
  static final String PATH = "/api/v1/breakers";
  private static final String UNKNOWN = "holdfast breakers list names them all";

  BreakersCommand(RootCommand root) {
    super(root, "breakers list, trip or reset");
  }

  @Command(name = "list", description = "List the circuit breakers and their states.")
  int list() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH));
    List<JsonNode> _ =
        printList(
            answer,
            "breakers",
            "no breakers",
            List.of("BREAKER", "STATE", "FAILURES IN A ROW", "OPENED", "OPEN UNTIL"),
            breaker ->
                List.of(
                    CliJson.text(breaker, "name"),
                    state(breaker),
                    CliJson.text(breaker, "consecutive_failures"),
                    CliJson.text(breaker, "opens"),
                    openUntil(breaker)));
    return ExitCode.OK;
  }

  private static String openUntil(JsonNode breaker) {
    if (!breaker.path("open_until").isNull()) {
      return Formats.day(breaker.path("open_until"));
    }
    return CliJson.text(breaker, "state").equals("open") ? "reset by hand" : "";
  }

  static String state(JsonNode breaker) {
    return CliJson.text(breaker, "state").replace('_', ' ');
  }

  @Command(
      name = "trip",
      description =
          "Open a breaker: no calls are made until it is reset, not even after a restart.",
      footer = {"", "Example: holdfast breakers trip web"})
  int trip(
      @Parameters(paramLabel = "BREAKER", description = "Its name, as list shows it.") String name)
      throws CliException, InterruptedException {
    return change(name, "trip");
  }

  @Command(
      name = "reset",
      description = "Close a breaker: calls are made again at once.",
      footer = {"", "Example: holdfast breakers reset llm:anthropic"})
  int reset(
      @Parameters(paramLabel = "BREAKER", description = "Its name, as list shows it.") String name)
      throws CliException, InterruptedException {
    return change(name, "reset");
  }

  private int change(String name, String verb) throws CliException, InterruptedException {
    String path = PATH + "/" + segment(name, "breaker") + "/" + verb;
    JsonNode answer = root.ask(api -> api.post(path, CliJson.object()), UNKNOWN);
    return print(
        answer,
        () ->
            root.terminal()
                .line(
                    CliJson.text(answer, "name")
                        + ": "
                        + state(answer)
                        + (verb.equals("trip") ? " until it is reset by hand" : "")));
  }
}
