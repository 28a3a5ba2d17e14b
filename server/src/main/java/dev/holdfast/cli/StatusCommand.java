package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** How the server is. */
@Command(
    name = "status",
    description = "Show the state of the running server and its workload.",
    footer = {
      "",
      "Exits with 0 if the server is ready, 1 if not, 74 if none responds.",
      "",
      "Example: holdfast status --json"
    })
final class StatusCommand implements Callable<Integer> {
  private static final List<String> COUNTS =
      List.of(
          "accepted",
          "pending",
          "running",
          "parked",
          "answered",
          "silent",
          "held",
          "dead_lettered",
          "cancelled");

  private final RootCommand root;

  StatusCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode status = root.ask(api -> api.get("/api/v1/status"));
    if (root.json) {
      root.print(status);
    } else {
      show(status);
    }
    return status.path("ready").asBoolean() ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private void show(JsonNode status) throws CliException {
    Terminal terminal = root.terminal();
    boolean ready = status.path("ready").asBoolean();
    terminal.line(ready ? terminal.good("ready") : terminal.bad("not ready"));
    for (ServerCondition condition : ServerCondition.of(status)) {
      terminal.line(condition.line(terminal, root.environment.time().now()));
    }
    terminal.line(
        "Holdfast %s at %s, up %s, data in %s"
            .formatted(
                CliJson.text(status, "version"),
                root.serverUrl(),
                up(status),
                CliJson.text(status, "data_dir")));
    List<String> counts = new ArrayList<>();
    for (String name : COUNTS) {
      counts.add(name.replace('_', '-') + " " + status.path("counts").path(name).asLong());
    }
    terminal.line("events: " + String.join(", ", counts));
    terminal.line(
        "threads active %d, replies waiting %d"
            .formatted(
                status.path("threads_active").asLong(), status.path("outbox_depth").asLong()));
    long strangers = status.path("pairings_pending").asLong();
    if (strangers > 0) {
      terminal.line(
          (strangers == 1 ? "1 person asks" : strangers + " people ask")
              + " to be let in; see holdfast pair list");
    }
  }

  private String up(JsonNode status) {
    Instant now = root.environment.time().now();
    return Formats.instant(status.path("started_at"))
        .map(since -> Formats.length(Duration.between(since, now)))
        .orElse("for an unknown time");
  }
}
