package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The wake-ups of chat threads. */
@Command(name = "schedules", description = "List or cancel the wake-ups of chat threads.")
final class SchedulesCommand extends CommandGroup {
  SchedulesCommand(RootCommand root) {
    super(root, "schedules list or cancel");
  }

  @Command(
      name = "list",
      description = "List the active wake-ups, next one first.",
      footer = {"", "Example: holdfast schedules list --thread webhook:ci:build-7"})
  int list(
      @Option(
              names = "--thread",
              paramLabel = "THREAD",
              defaultValue = "",
              description = "Only this chat thread's: an id, or the name of a web thread.")
          String thread,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit)
      throws CliException, InterruptedException {
    String path =
        "/api/v1/schedules?limit="
            + limit
            + (thread.isEmpty() ? "" : "&thread=" + ApiClient.encoded(thread));
    JsonNode answer = root.ask(api -> api.get(path));
    printList(
        answer,
        "schedules",
        "no wake-ups",
        List.of("WAKE-UP", "NEXT", "WHEN", "THREAD", "TEXT"),
        SchedulesCommand::row);
    return ExitCode.OK;
  }

  @Command(
      name = "cancel",
      description = "Cancel a wake-up.",
      footer = {"", "Example: holdfast schedules cancel 3f9a01c2b4d5"})
  int cancel(
      @Parameters(paramLabel = "WAKE-UP", description = "Its id, as list shows it.") String id)
      throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.delete("/api/v1/schedules/" + ApiClient.encoded(id)));
    if (root.json) {
      root.print(answer);
    } else {
      boolean cancelled = answer.path("cancelled").asBoolean();
      root.terminal().line(id + (cancelled ? " will no longer fire" : " had already ended"));
    }
    return ExitCode.OK;
  }

  private static List<String> row(JsonNode schedule) {
    return List.of(
        CliJson.text(schedule, "id"),
        Formats.day(schedule.path("next_at")),
        CliJson.text(schedule, "kind")
            + " "
            + CliJson.text(schedule, "spec")
            + " "
            + CliJson.text(schedule, "zone"),
        CliJson.text(schedule, "thread_id"),
        CliJson.text(schedule, "text"));
  }
}
