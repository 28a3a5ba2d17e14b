package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What people and tools did. */
@Command(
    name = "audit",
    description = "List what people and tools did, or verify that the list is intact.",
    footer = {
      "",
      "holdfast doctor verifies it too, even while no server is running.",
      "",
      "Examples:",
      "  holdfast audit list --limit 20",
      "  holdfast audit verify"
    })
final class AuditCommand extends CommandGroup {
  AuditCommand(RootCommand root) {
    super(root, "audit list or verify");
  }

  @Command(name = "list", description = "List the newest rows, newest first.")
  int list(
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit,
      @Option(
              names = "--before",
              paramLabel = "NO",
              defaultValue = "0",
              description = "Only rows with a smaller number.")
          long before)
      throws CliException, InterruptedException {
    String path = "/api/v1/audit?limit=" + limit + (before > 0 ? "&before=" + before : "");
    JsonNode answer = root.ask(api -> api.get(path));
    List<JsonNode> rows =
        printList(
            answer,
            "entries",
            "nothing recorded yet",
            List.of("NO", "AT", "WHAT", "BY", "THREAD", "DETAILS"),
            row ->
                List.of(
                    CliJson.text(row, "no"),
                    Formats.day(row.path("at")),
                    CliJson.text(row, "what"),
                    CliJson.text(row, "actor"),
                    CliJson.text(row, "thread_id"),
                    row.path("details").toString()));
    if (!rows.isEmpty() && rows.size() == limit) {
      root.terminal()
          .note(
              "more: holdfast audit list"
                  + Formats.limit(limit)
                  + " --before "
                  + CliJson.text(rows.getLast(), "no"));
    }
    return ExitCode.OK;
  }

  @Command(
      name = "verify",
      description = "Check every row; exits with 1 if any was changed or is missing.")
  int verify() throws CliException, InterruptedException {
    JsonNode verdict = root.ask(api -> api.get("/api/v1/audit/verify"));
    boolean whole = verdict.path("whole").asBoolean();
    if (root.json) {
      root.print(verdict);
    } else if (whole) {
      root.terminal().line("intact: " + verdict.path("count").asLong() + " rows");
    } else {
      root.terminal()
          .line(
              root.terminal().bad("BROKEN")
                  + " at row "
                  + verdict.path("broken_at").asLong()
                  + ": "
                  + CliJson.text(verdict, "why"));
    }
    return whole ? ExitCode.OK : ExitCode.NOT_GOOD;
  }
}
