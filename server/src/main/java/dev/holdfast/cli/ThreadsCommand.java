package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The chat threads. */
@Command(name = "threads", description = "List, show or reset chat threads.")
final class ThreadsCommand extends CommandGroup {
  /** Else a line of a message could look like the next one. */
  private static final String INDENT = "  ";

  ThreadsCommand(RootCommand root) {
    super(root, "threads list, show or reset");
  }

  @Command(
      name = "list",
      description = "List chat threads, most recently used first.",
      footer = {"", "Example: holdfast threads list --limit 20"})
  int list(
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit,
      @Option(
              names = "--after",
              paramLabel = "PLACE",
              defaultValue = "",
              description = "Continue after the previous page, as it says.")
          String after)
      throws CliException, InterruptedException {
    String path =
        "/api/v1/threads?limit="
            + limit
            + (after.isEmpty() ? "" : "&after=" + ApiClient.encoded(after));
    JsonNode answer = root.ask(api -> api.get(path));
    List<JsonNode> rows =
        printList(
            answer,
            "threads",
            "no chat threads yet",
            List.of("THREAD", "LAST USED", "EVENTS", "OPEN", "DOING"),
            ThreadsCommand::row);
    String next = CliJson.text(answer, "next");
    if (!rows.isEmpty() && !next.isEmpty()) {
      root.terminal()
          .note("more: holdfast threads list" + Formats.limit(limit) + " --after " + next);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "show",
      description = "Show a chat thread and the end of its log.",
      footer = {"", "Example: holdfast threads show webhook:ci:build-7"})
  int show(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The most log entries to show. Default: ${DEFAULT-VALUE}.")
          int limit,
      @Option(
              names = "--before",
              paramLabel = "ID",
              defaultValue = "",
              description = "Only entries before this one: for reading further back.")
          String before)
      throws CliException, InterruptedException {
    String path = "/api/v1/threads/" + ApiClient.encoded(thread);
    JsonNode info = root.ask(api -> api.get(path));
    String page = before.isEmpty() ? "" : "&before=" + ApiClient.encoded(before);
    JsonNode log = root.ask(api -> api.get(path + "/log?limit=" + limit + page));
    if (root.json) {
      root.print(
          CliJson.object()
              .<com.fasterxml.jackson.databind.node.ObjectNode>set("thread", info)
              .set("log", log));
      return ExitCode.OK;
    }
    Terminal terminal = root.terminal();
    terminal.line(terminal.bold(CliJson.text(info, "thread_id")));
    List<String> cells = row(info);
    terminal.line(
        "  last used %s, %s events, %s open, %s"
            .formatted(cells.get(1), cells.get(2), cells.get(3), cells.get(4)));
    for (JsonNode entry : CliJson.items(log, "entries")) {
      String role = CliJson.text(entry, "role");
      String who = role.equals("user") ? CliJson.text(entry, "sender") : role;
      terminal.line("");
      terminal.line(
          terminal.dim(Formats.day(entry.path("at")) + "  " + CliJson.text(entry, "event_id"))
              + (entry.path("pending").asBoolean() ? terminal.warning("  pending") : ""));
      terminal.line(
          terminal.bold((who.isEmpty() ? role : who) + ": ")
              + VisibleText.lines(CliJson.raw(entry, "text"), INDENT));
    }
    String next = CliJson.text(log, "next");
    if (!next.isEmpty()) {
      terminal.note(
          "earlier: holdfast threads show "
              + CliJson.text(info, "thread_id")
              + " --before "
              + next);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "reset",
      description =
          "Stop the running turn, or else what comes next, and start a fresh context: the model"
              + " forgets the chat thread; its log stays.",
      footer = {"", "Example: holdfast threads reset web:main:cli"})
  int reset(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread)
      throws CliException, InterruptedException {
    JsonNode answer =
        root.ask(
            api ->
                api.post(
                    "/api/v1/threads/" + ApiClient.encoded(thread) + "/reset", CliJson.object()));
    if (root.json) {
      root.print(answer);
    } else {
      root.terminal().line(thread + " has a fresh context");
    }
    return ExitCode.OK;
  }

  private static List<String> row(JsonNode thread) {
    String doing = CliJson.text(thread, "doing");
    String waiting = CliJson.text(thread, "waiting");
    return List.of(
        CliJson.text(thread, "thread_id"),
        Formats.day(thread.path("last_at")),
        CliJson.text(thread, "events"),
        CliJson.text(thread, "open"),
        (doing.isEmpty() ? "idle" : doing)
            + (waiting.isEmpty() || waiting.equals("0") ? "" : ", waiting " + waiting));
  }
}
