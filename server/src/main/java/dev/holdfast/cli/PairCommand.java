package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The people who ask to be answered by a channel, and those who are. */
@Command(
    name = "pair",
    description = "List, approve and revoke the people whom channels answer.",
    footer = {
      "",
      "A stranger who writes directly to an account with strangers: pair is given a code there,",
      "valid for 60 minutes. When the person has told you the code, approve it here.",
      "",
      "Examples:",
      "  holdfast pair list",
      "  holdfast pair approve 7F3KX2MQ",
      "  holdfast pair revoke telegram:main 4711"
    })
final class PairCommand extends CommandGroup {
  private static final String PATH = "/api/v1/pairings";

  PairCommand(RootCommand root) {
    super(root, "pair list, approve or revoke");
  }

  @Command(name = "list", description = "List who has asked to be let in, and who has been.")
  int list() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH));
    return print(answer, () -> show(answer));
  }

  private void show(JsonNode answer) {
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode asked : CliJson.items(answer, "pending")) {
      rows.add(row(asked, "asks", "until " + Formats.day(asked.path("expires_at"))));
    }
    for (JsonNode paired : CliJson.items(answer, "paired")) {
      rows.add(
          row(
              paired,
              "paired",
              Formats.day(paired.path("approved_at"))
                  + " by "
                  + CliJson.text(paired, "approved_by")));
    }
    if (rows.isEmpty()) {
      root.terminal().line("nobody is paired, and nobody has asked to be");
    } else {
      root.terminal().table(List.of("ACCOUNT", "SENDER", "NAME", "STATE", "WHEN"), rows);
    }
  }

  private static List<String> row(JsonNode person, String state, String when) {
    return List.of(
        CliJson.text(person, "account"),
        CliJson.text(person, "sender"),
        CliJson.text(person, "name"),
        state,
        when);
  }

  @Command(
      name = "approve",
      description = "Let in the person who was given the code.",
      footer = {
        "",
        "After 10 wrong codes within an hour, none is accepted until the hour is over.",
        "",
        "Example: holdfast pair approve 7F3KX2MQ"
      })
  int approve(@Parameters(paramLabel = "CODE", description = "As given to the person.") String code)
      throws CliException, InterruptedException {
    JsonNode paired =
        root.ask(api -> api.post(PATH + "/approve", CliJson.object().put("code", code)));
    return print(paired, () -> root.terminal().line(named(paired) + " is answered from now on"));
  }

  @Command(
      name = "revoke",
      description = "Stop answering a person, or reject one who has asked.",
      footer = {"", "Example: holdfast pair revoke telegram:main 4711"})
  int revoke(
      @Parameters(paramLabel = "CHANNEL:ACCOUNT", description = "As list shows it.") String account,
      @Parameters(paramLabel = "SENDER", description = "The person's id, as list shows it.")
          String sender)
      throws CliException, InterruptedException {
    String path =
        PATH + "?account=" + ApiClient.encoded(account) + "&sender=" + ApiClient.encoded(sender);
    JsonNode revoked = root.ask(api -> api.delete(path));
    return print(revoked, () -> root.terminal().line(named(revoked) + " is no longer paired"));
  }

  private static String named(JsonNode person) {
    String name = CliJson.text(person, "name");
    String shown = name.isEmpty() ? "" : " (" + name + ")";
    return VisibleText.lines(
        CliJson.text(person, "account") + " " + CliJson.text(person, "sender") + shown, "");
  }
}
