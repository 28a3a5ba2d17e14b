package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Faults on purpose, and whether what is promised for them holds. */
@Command(
    name = "drill",
    description =
        "Break a part of the running server for a while, and see whether its promises hold.",
    footer = {
      "",
      "Messages during a drill are real and are answered. The fault ends automatically, even if",
      "this command is interrupted or the server restarts.",
      "",
      "Examples:",
      "  holdfast drill list",
      "  holdfast drill run model-away --for 20",
      "  holdfast drill run channel-away --target webhook:ci --json",
      "  holdfast drill stop 01981c7e-6c1e-7000-8a3b-5d1f0c9e7a42"
    })
final class DrillCommand extends CommandGroup {
  private static final String PATH = "/api/v1/drills";
  private static final Duration LOOK = Duration.ofMillis(500);

  DrillCommand(RootCommand root) {
    super(root, "drill list, run, show or stop");
  }

  @Command(name = "list", description = "List the drills, and the latest runs.")
  int list() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH));
    return print(answer, () -> printAll(answer));
  }

  private void printAll(JsonNode answer) {
    for (JsonNode drill : CliJson.items(answer, "drills")) {
      line(root.terminal().bold(CliJson.text(drill, "name")));
      line("  " + CliJson.text(drill, "fault"));
      if (!CliJson.text(drill, "target").isEmpty()) {
        line("  --target: " + CliJson.text(drill, "target"));
      }
    }
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode run : CliJson.items(answer, "runs")) {
      rows.add(
          List.of(
              CliJson.text(run, "id"),
              CliJson.text(run, "name"),
              Formats.day(run.path("begun_at")),
              CliJson.text(run, "state"),
              held(run)));
    }
    if (!rows.isEmpty()) {
      line("");
      root.terminal().table(List.of("ID", "DRILL", "BEGUN", "STATE", "HELD"), rows);
    }
  }

  private static String held(JsonNode run) {
    if (!run.path("held").isBoolean()) {
      return "";
    }
    return run.path("held").asBoolean() ? "yes" : "no";
  }

  @Command(
      name = "run",
      description = "Run one, wait until the server has settled, and print what happened.",
      footer = {"", "Exits with 1 if a promise did not hold."})
  int run(
      @Parameters(paramLabel = "NAME", description = "As list shows it.") String name,
      @Option(
              names = "--for",
              paramLabel = "SECS",
              defaultValue = "20",
              description = "How long the fault lasts, 1 to 300. Default: ${DEFAULT-VALUE}.")
          int secs,
      @Option(
              names = "--target",
              paramLabel = "TARGET",
              defaultValue = "",
              description = "What to break, where there are several; see list.")
          String target)
      throws CliException, InterruptedException {
    ObjectNode wanted =
        CliJson.object().put("name", name).put("for_secs", secs).put("target", target);
    JsonNode drill = root.ask(api -> api.post(PATH, wanted));
    String path = PATH + "/" + segment(CliJson.text(drill, "id"), "drill");
    if (!root.json) {
      promise(drill);
    }
    int shown = 0;
    while (true) {
      List<JsonNode> timeline = CliJson.items(drill, "timeline");
      for (JsonNode entry : timeline.subList(Math.min(shown, timeline.size()), timeline.size())) {
        if (!root.json) {
          line(Formats.clock(entry.path("at")) + "  " + CliJson.text(entry, "what"));
        }
      }
      shown = timeline.size();
      if (CliJson.text(drill, "state").equals("done")) {
        break;
      }
      root.environment.time().sleep(LOOK);
      drill = root.ask(api -> api.get(path));
    }
    JsonNode done = drill;
    print(done, () -> conclude(done));
    return done.path("held").asBoolean() ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private void promise(JsonNode drill) {
    line(
        "%s: %s, until %s. End it with holdfast drill stop %s"
            .formatted(
                CliJson.text(drill, "name"),
                CliJson.text(drill, "fault"),
                Formats.clock(drill.path("ends_at")),
                CliJson.text(drill, "id")));
    line("");
    line(root.terminal().bold("Promised"));
    CliJson.items(drill, "promises").forEach(each -> line("  " + CliJson.text(each, "text")));
    line("");
    line(root.terminal().bold("What happens"));
  }

  private void conclude(JsonNode drill) {
    line("");
    line(root.terminal().bold("Counted"));
    line("  the fault struck " + CliJson.text(drill, "strikes") + " times");
    drill
        .path("counts")
        .properties()
        .forEach(count -> line("  " + count.getKey() + ": " + count.getValue().asText()));
    JsonNode events = drill.path("events");
    line("  messages accepted: " + CliJson.text(events, "accepted"));
    events
        .path("states")
        .properties()
        .forEach(state -> line("    " + state.getKey() + ": " + state.getValue().asText()));
    for (JsonNode told : CliJson.items(events, "told")) {
      line(
          "  told %s times in %s chat threads: %s"
              .formatted(
                  CliJson.text(told, "times"),
                  CliJson.text(told, "threads"),
                  CliJson.text(told, "sentence")));
    }
    line("");
    line(root.terminal().bold("Did each promise hold?"));
    for (JsonNode each : CliJson.items(drill, "promises")) {
      line("  " + verdict(each) + "  " + CliJson.text(each, "text"));
      line("       " + CliJson.text(each, "why"));
    }
  }

  private String verdict(JsonNode promise) {
    return switch (CliJson.text(promise, "held")) {
      case "yes" -> root.terminal().good("yes");
      case "no" -> root.terminal().bad("NO ");
      case "untested" -> root.terminal().warning("-  ");
      default -> "?  ";
    };
  }

  @Command(name = "show", description = "Show what is known of one.")
  int show(@Parameters(paramLabel = "ID", description = "As list shows it.") String id)
      throws CliException, InterruptedException {
    String path = PATH + "/" + segment(id, "drill");
    JsonNode drill = root.ask(api -> api.get(path));
    return print(
        drill,
        () -> {
          promise(drill);
          CliJson.items(drill, "timeline")
              .forEach(
                  entry ->
                      line(Formats.clock(entry.path("at")) + "  " + CliJson.text(entry, "what")));
          conclude(drill);
        });
  }

  @Command(name = "stop", description = "End the fault of one before its time.")
  int stop(@Parameters(paramLabel = "ID", description = "As list shows it.") String id)
      throws CliException, InterruptedException {
    String path = PATH + "/" + segment(id, "drill") + "/stop";
    JsonNode drill = root.ask(api -> api.post(path, CliJson.object()));
    return print(drill, () -> line("the fault ends now; holdfast drill show " + id));
  }

  private void line(String text) {
    root.terminal().line(VisibleText.lines(text, "  "));
  }
}
