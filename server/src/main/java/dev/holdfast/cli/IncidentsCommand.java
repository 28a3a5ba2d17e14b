package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What went wrong with the server itself. */
@Command(
    name = "incidents",
    description = "List, show and resolve what went wrong: crashes, damage, failed parts.",
    footer = {
      "",
      "Each is also a page in data/memory/incidents, which can be read without a server.",
      "",
      "Examples:",
      "  holdfast incidents list --all",
      "  holdfast incidents show 01981c7e-6c1e-7000-8a3b-5d1f0c9e7a42",
      "  holdfast incidents resolve 01981c7e-6c1e-7000-8a3b-5d1f0c9e7a42"
    })
final class IncidentsCommand extends CommandGroup {
  static final String PATH = "/api/v1/incidents";

  IncidentsCommand(RootCommand root) {
    super(root, "incidents list, show or resolve");
  }

  @Command(name = "list", description = "List the open ones, newest first.")
  int list(
      @Option(names = "--all", description = "Include the resolved ones.") boolean all,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit,
      @Option(
              names = "--before",
              paramLabel = "ID",
              defaultValue = "",
              description = "Only older ones than this.")
          String before)
      throws CliException, InterruptedException {
    String path =
        PATH
            + "?state="
            + (all ? "all" : "open")
            + "&limit="
            + limit
            + (before.isEmpty() ? "" : "&before=" + ApiClient.encoded(before));
    JsonNode answer = root.ask(api -> api.get(path));
    List<JsonNode> rows =
        printList(
            answer,
            "incidents",
            all ? "there are no incidents" : "there are no open incidents",
            List.of("ID", "AT", "SEVERITY", "STATE", "TIMES", "SUMMARY"),
            row ->
                List.of(
                    CliJson.text(row, "id"),
                    Formats.day(row.path("at")),
                    CliJson.text(row, "severity"),
                    row.path("resolved_at").isNull() ? "open" : "resolved",
                    CliJson.text(row, "times"),
                    CliJson.text(row, "summary")));
    if (!rows.isEmpty() && rows.size() == limit) {
      root.terminal()
          .note(
              "more: holdfast incidents list"
                  + (all ? " --all" : "")
                  + Formats.limit(limit)
                  + " --before "
                  + CliJson.text(rows.getLast(), "id"));
    }
    return ExitCode.OK;
  }

  @Command(name = "show", description = "Show everything that is known about one.")
  int show(@Parameters(paramLabel = "ID", description = "As list shows it.") String id)
      throws CliException, InterruptedException {
    String path = PATH + "/" + segment(id, "incident");
    JsonNode incident = root.ask(api -> api.get(path));
    return print(incident, () -> tell(incident));
  }

  @Command(name = "resolve", description = "Mark one as resolved.")
  int resolve(@Parameters(paramLabel = "ID", description = "As list shows it.") String id)
      throws CliException, InterruptedException {
    String path = PATH + "/" + segment(id, "incident") + "/resolve";
    JsonNode incident = root.ask(api -> api.post(path, CliJson.object()));
    return print(
        incident,
        () ->
            line(
                "resolved by "
                    + CliJson.text(incident, "resolved_by")
                    + ": "
                    + CliJson.text(incident, "summary")));
  }

  private void tell(JsonNode incident) {
    Terminal terminal = root.terminal();
    terminal.line(terminal.bold(VisibleText.lines(CliJson.text(incident, "summary"), "")));
    line("id        " + CliJson.text(incident, "id"));
    line("at        " + CliJson.text(incident, "at"));
    if (incident.path("times").asInt() > 1) {
      line(
          "times     "
              + CliJson.text(incident, "times")
              + ", the last at "
              + CliJson.text(incident, "last_at"));
    }
    line("kind      " + CliJson.text(incident, "kind"));
    line("severity  " + CliJson.text(incident, "severity"));
    line("part      " + CliJson.text(incident, "part"));
    line(
        "state     "
            + (incident.path("resolved_at").isNull()
                ? "open"
                : "resolved at "
                    + CliJson.text(incident, "resolved_at")
                    + " by "
                    + CliJson.text(incident, "resolved_by")));
    JsonNode details = incident.path("details");
    list("What happened", CliJson.items(details, "facts"));
    List<JsonNode> affected = CliJson.items(details, "affected");
    if (!affected.isEmpty()) {
      line("");
      line("What was interrupted, and what was done about it:");
      for (JsonNode event : affected) {
        String cut = CliJson.text(event, "interrupted");
        line(
            "  "
                + CliJson.text(event, "event_id")
                + ": "
                + (cut.isEmpty() ? "" : cut + "; ")
                + CliJson.text(event, "done"));
      }
      int more = details.path("affected_count").asInt() - affected.size();
      if (more > 0) {
        line("  and " + more + " more");
      }
    }
    list("What to check", CliJson.items(details, "look_at"));
    list("Its last lines", CliJson.items(details, "output"));
    list("Commands", CliJson.items(details, "commands"));
    if (incident.path("resolved_at").isNull()) {
      line("  holdfast incidents resolve " + CliJson.text(incident, "id"));
    }
  }

  private void list(String heading, List<JsonNode> lines) {
    if (!lines.isEmpty()) {
      line("");
      line(heading + ":");
      lines.forEach(each -> line("  " + each.asText()));
    }
  }

  private void line(String text) {
    root.terminal().line(VisibleText.lines(text, "  "));
  }
}
