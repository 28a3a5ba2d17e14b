package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

  private record Found(JsonNode status, JsonNode health, JsonNode breakers) {}

  @Override
  public Integer call() throws CliException, InterruptedException {
    Found found =
        root.ask(
            api ->
                new Found(
                    api.get("/api/v1/status"), api.probe("/ready"), api.get("/api/v1/breakers")));
    JsonNode status = found.status();
    if (root.json) {
      ObjectNode all = status.isObject() ? status.deepCopy() : CliJson.object();
      all.set("health", found.health());
      all.set("breakers", found.breakers().path("breakers"));
      root.print(all);
    } else {
      show(found);
    }
    return status.path("ready").asBoolean() ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private void show(Found found) throws CliException {
    Terminal screen = root.screen();
    JsonNode status = found.status();
    String refusal = CliJson.text(status, "refusal");
    boolean ready = status.path("ready").asBoolean();
    screen.line(
        (ready ? screen.good("ready") : screen.bad("not ready"))
            + (refusal.isEmpty() ? "" : ": " + refusal));
    screen.line(
        "Holdfast %s at %s, up %s, data in %s"
            .formatted(
                CliJson.text(status, "version"),
                root.serverUrl(),
                up(status),
                CliJson.text(status, "data_dir")));
    List<String> counts = new ArrayList<>();
    for (String name : COUNTS) {
      counts.add(name.replace('_', ' ') + " " + status.path("counts").path(name).asLong());
    }
    screen.line("events: " + String.join(", ", counts));
    screen.line(
        "threads active %d, replies waiting %d"
            .formatted(
                status.path("threads_active").asLong(), status.path("outbox_depth").asLong()));
    for (JsonNode breaker : CliJson.items(found.breakers(), "breakers")) {
      String state = CliJson.text(breaker, "state");
      if (!state.equalsIgnoreCase("closed")) {
        screen.line(screen.warning("breaker " + CliJson.text(breaker, "name") + " is " + state));
      }
    }
    for (JsonNode check : CliJson.items(found.health(), "checks")) {
      boolean up = CliJson.text(check, "status").equals("UP");
      JsonNode data = check.path("data");
      if (!up || data.has("degraded")) {
        String text =
            CliJson.text(check, "id")
                + ": "
                + (data.isEmpty() ? "DOWN" : Terminal.safe(data.toString()));
        screen.line(up ? screen.warning(text) : screen.bad(text));
      }
    }
  }

  private String up(JsonNode status) {
    Instant now = root.world.time().now();
    return Formats.instant(status.path("started_at"))
        .map(since -> Formats.length(Duration.between(since, now)))
        .orElse("for an unknown time");
  }
}
