package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The chat threads. */
@Command(
    name = "threads",
    description =
        "List, show, search, export, rename, archive, delete or reset chat threads, or ask again.")
final class ThreadsCommand extends CommandGroup {
  /** Else a line of a message could look like the next one. */
  private static final String INDENT = "  ";

  private static final int LOG_ENTRIES = 200;

  ThreadsCommand(RootCommand root) {
    super(root, "threads list, show, search, export, rename, archive, again, delete or reset");
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
          String after,
      @Option(names = "--archived", description = "Only those that are archived.") boolean archived)
      throws CliException, InterruptedException {
    String path =
        "/api/v1/threads?limit="
            + limit
            + (archived ? "&archived=only" : "")
            + (after.isEmpty() ? "" : "&after=" + ApiClient.encoded(after));
    JsonNode answer = root.ask(api -> api.get(path));
    List<JsonNode> rows =
        printList(
            answer,
            "threads",
            "no chat threads yet",
            List.of("THREAD", "LAST USED", "EVENTS", "OPEN", "DOING", "TITLE"),
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
              description = "Only entries before this one, to read further back.")
          String before)
      throws CliException, InterruptedException {
    String path = "/api/v1/threads/" + ApiClient.encoded(thread);
    JsonNode info = root.ask(api -> api.get(path));
    String page = before.isEmpty() ? "" : "&before=" + ApiClient.encoded(before);
    JsonNode log = root.ask(api -> api.get(path + "/log?limit=" + limit + page));
    if (root.json) {
      root.print(CliJson.object().<ObjectNode>set("thread", info).set("log", log));
      return ExitCode.OK;
    }
    Terminal terminal = root.terminal();
    terminal.line(terminal.bold(CliJson.text(info, "thread_id")));
    List<String> cells = row(info);
    if (!cells.get(5).isEmpty()) {
      terminal.line("  " + cells.get(5));
    }
    terminal.line(
        "  last used %s, %s events, %s open, %s"
            .formatted(cells.get(1), cells.get(2), cells.get(3), cells.get(4)));
    JsonNode usage = info.path("usage");
    if (usage.path("calls").asLong() > 0) {
      terminal.line(
          "  %,d model calls, %,d tokens in, %,d out, %s"
              .formatted(
                  usage.path("calls").asLong(),
                  usage.path("input_tokens").asLong(),
                  usage.path("output_tokens").asLong(),
                  Formats.dollars(usage.path("cost_usd").asDouble())));
    }
    for (JsonNode entry : CliJson.items(log, "entries")) {
      String role = CliJson.text(entry, "role");
      String who = role.equals("user") ? CliJson.text(entry, "sender") : role;
      terminal.line("");
      terminal.line(
          terminal.dim(Formats.day(entry.path("at")) + "  " + CliJson.text(entry, "event_id"))
              + (entry.path("pending").asBoolean() ? terminal.warning("  pending") : "")
              + (entry.has("supersedes")
                  ? terminal.dim("  replaces all from " + CliJson.text(entry, "supersedes") + " on")
                  : ""));
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
      name = "search",
      description = "Find messages and answers in all chat threads, newest first.",
      footer = {"", "Example: holdfast threads search \"quarterly report\" budget"})
  int search(
      @Parameters(
              paramLabel = "WORDS",
              arity = "1..*",
              description = "All of them, in any order; quotes within quotes hold a phrase.")
          List<String> words,
      @Option(
              names = "--thread",
              paramLabel = "THREAD",
              defaultValue = "",
              description = "Only in this chat thread.")
          String thread,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "The most to show. Default: ${DEFAULT-VALUE}.")
          int limit)
      throws CliException, InterruptedException {
    String query = words.stream().map(ThreadsCommand::quoted).collect(Collectors.joining(" "));
    JsonNode found =
        root.ask(
            api ->
                api.get(
                    "/api/v1/search?q="
                        + ApiClient.encoded(query)
                        + "&limit="
                        + limit
                        + (thread.isEmpty() ? "" : "&thread=" + ApiClient.encoded(thread))));
    if (root.json) {
      root.print(found);
      return ExitCode.OK;
    }
    Terminal terminal = root.terminal();
    List<JsonNode> hits = CliJson.items(found, "hits");
    for (JsonNode hit : hits) {
      terminal.line(
          terminal.bold(CliJson.text(hit, "thread_id"))
              + terminal.dim(
                  "  " + Formats.day(hit.path("at")) + "  " + CliJson.text(hit, "role")));
      terminal.line(INDENT + VisibleText.lines(CliJson.raw(hit, "excerpt"), INDENT));
    }
    if (hits.isEmpty()) {
      terminal.note("nothing found");
    }
    return ExitCode.OK;
  }

  /** The shell took the quotes of a phrase away. */
  private static String quoted(String words) {
    return words.contains(" ") && !words.contains("\"") ? '"' + words + '"' : words;
  }

  @Command(
      name = "export",
      description = "Print a chat thread's log as Markdown, or as JSON.",
      footer = {"", "Example: holdfast threads export web:main:cli > talk.md"})
  int export(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread)
      throws CliException, InterruptedException {
    String path = "/api/v1/threads/" + ApiClient.encoded(thread) + "/export?format=";
    String text = root.ask(api -> api.getText(path + (root.json ? "json" : "markdown")));
    root.terminal().part(root.json ? VisibleText.json(text) : VisibleText.lines(text, ""));
    return ExitCode.OK;
  }

  @Command(
      name = "rename",
      description = "Give a chat thread a title.",
      footer = {"", "Example: holdfast threads rename web:main:cli Trip to Rome"})
  int rename(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread,
      @Parameters(paramLabel = "TITLE", arity = "1..*", description = "The title.")
          List<String> title)
      throws CliException, InterruptedException {
    return change(
        thread, "/rename", CliJson.object().put("title", String.join(" ", title)), "renamed");
  }

  @Command(
      name = "archive",
      description = "Put a chat thread away until its next message.",
      footer = {"", "Example: holdfast threads archive web:main:cli"})
  int archive(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread,
      @Option(names = "--undo", description = "Bring it back.") boolean undo)
      throws CliException, InterruptedException {
    return change(
        thread,
        "/archive",
        CliJson.object().put("archived", !undo),
        undo ? "is back in the list" : "is archived");
  }

  private int change(String thread, String what, ObjectNode body, String done)
      throws CliException, InterruptedException {
    JsonNode answer =
        root.ask(api -> api.post("/api/v1/threads/" + ApiClient.encoded(thread) + what, body));
    if (root.json) {
      root.print(answer);
    } else {
      root.terminal().line(thread + " " + done);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "delete",
      description =
          "Permanently delete the content of a chat thread: its log, context, files, replies and"
              + " wake-ups. Usage, plans and the audit stay.",
      footer = {"", "Example: holdfast threads delete web:main:old-talk --yes"})
  int delete(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread,
      @Option(names = "--yes", required = true, description = "Confirms it: there is no undo.")
          boolean yes)
      throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.delete("/api/v1/threads/" + ApiClient.encoded(thread)));
    if (root.json) {
      root.print(answer);
    } else {
      root.terminal().line(thread + " is deleted");
    }
    return ExitCode.OK;
  }

  @Command(
      name = "again",
      description =
          "Ask the last message again, or say it in other words: the new message takes its place"
              + " and that of the answer. What is replaced stays in the log; the model does not"
              + " read it any more.",
      footer = {
        "",
        "Examples:",
        "  holdfast threads again web:main:garden",
        "  holdfast threads again web:main:garden \"When do I plant beans?\""
      })
  int again(
      @Parameters(paramLabel = "THREAD", description = "An id, or the name of a web thread.")
          String thread,
      @Parameters(
              paramLabel = "TEXT",
              arity = "0..1",
              description = "The new words. Default: those of the message.")
          Optional<String> text,
      @Option(
              names = "--event",
              paramLabel = "ID",
              defaultValue = "",
              description = "An earlier message, as threads show names it. Default: the last one.")
          String event,
      @Option(
              names = "--force",
              description = "Also if tools have acted since then, which is not undone.")
          boolean force)
      throws CliException, InterruptedException {
    String path = "/api/v1/threads/" + ApiClient.encoded(thread);
    JsonNode log = root.ask(api -> api.get(path + "/log?limit=" + LOG_ENTRIES));
    JsonNode replaced =
        CliJson.items(log, "entries").reversed().stream()
            .filter(entry -> CliJson.text(entry, "role").equals("user"))
            .filter(entry -> event.isEmpty() || CliJson.text(entry, "event_id").equals(event))
            .findFirst()
            .orElseThrow(
                () ->
                    new CliException(
                        ExitCode.NOT_GOOD, "no such message in the newest part of " + thread));
    ObjectNode message =
        CliJson.object()
            .put("text", text.orElse(CliJson.raw(replaced, "text")))
            .put("supersedes", CliJson.text(replaced, "event_id"))
            .put("force", force);
    for (JsonNode file : replaced.path("attachments")) {
      if (file.has("file")) {
        message
            .withArray("attachments")
            .addObject()
            .put("file", CliJson.raw(file, "file"))
            .put("name", CliJson.raw(file, "name"));
      }
    }
    JsonNode answer = root.ask(api -> api.post(path + "/messages", message));
    if (root.json) {
      root.print(answer);
    } else {
      String id = CliJson.text(answer, "event_id");
      root.terminal().line("accepted as " + id + "; see holdfast trace " + id);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "reset",
      description =
          "Stop the running turn or, if there is none, the next one, and start a fresh context:"
              + " the model forgets the chat thread; its log stays.",
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
            + (waiting.isEmpty() || waiting.equals("0") ? "" : ", waiting " + waiting),
        VisibleText.line(CliJson.raw(thread, "title")));
  }
}
