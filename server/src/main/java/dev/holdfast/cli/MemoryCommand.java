package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What chat threads remember, and the sweeps that keep it tidy. */
@Command(
    name = "memory",
    description = "Tidy what conversations remember, and decide what all of them may know.",
    footer = {
      "",
      "Examples:",
      "  holdfast memory sweep --dry-run",
      "  holdfast memory sweep --thread slack:team:C024BE91L",
      "  holdfast memory log",
      "  holdfast memory proposals",
      "  holdfast memory approve 01981c7e-6c1e-7000-8a3b-5d1f0c9e7a42",
      "  holdfast memory history --thread slack:team:C024BE91L",
      "  holdfast memory restore --thread slack:team:C024BE91L 3"
    })
final class MemoryCommand extends CommandGroup {
  private static final String PATH = "/api/v1/memory";
  private static final String RUNNING = "running";
  private static final Duration LOOK = Duration.ofMillis(500);

  MemoryCommand(RootCommand root) {
    super(root, "memory sweep, status, log, proposals, approve, reject, history or restore");
  }

  @Command(
      name = "sweep",
      description = "Sweep the memories now, and print what was changed and why.",
      footer = {
        "",
        "It waits until no message is being answered. Exits with 1 if it could not finish.",
        "Interrupting this command does not end the sweep."
      })
  int sweep(
      @Option(
              names = "--thread",
              paramLabel = "THREAD",
              defaultValue = "",
              description = "Only this one, however little was said in it.")
          String thread,
      @Option(
              names = "--dry-run",
              description = "Ask the model what it would change, and change nothing.")
          boolean dry)
      throws CliException, InterruptedException {
    ObjectNode wanted = CliJson.object().put("dry_run", dry);
    if (!thread.isEmpty()) {
      wanted.put("thread", thread);
    }
    JsonNode begun = root.ask(api -> api.post(PATH + "/sweeps", wanted));
    String path = PATH + "/sweeps/" + segment(CliJson.text(begun, "id"), "sweep");
    JsonNode run = root.ask(api -> api.get(path));
    while (CliJson.text(run, "outcome").equals(RUNNING)) {
      if (!root.json) {
        root.terminal()
            .progress(
                "sweeping: %s conversations, %s lines merged, %s dropped, %s updated"
                    .formatted(
                        CliJson.text(run, "threads"),
                        CliJson.text(run, "merged"),
                        CliJson.text(run, "dropped"),
                        CliJson.text(run, "updated")));
      }
      root.environment.time().sleep(LOOK);
      run = root.ask(api -> api.get(path));
    }
    root.terminal().clearProgress();
    JsonNode done = run;
    int _ = print(done, () -> tell(done));
    return CliJson.text(done, "outcome").equals("done") ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  @Command(name = "status", description = "Print whether and when memories are swept.")
  int status() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH));
    return print(
        answer,
        () -> {
          boolean isOn = answer.path("enabled").asBoolean();
          String next =
              answer.path("waits_for_mode").asBoolean()
                  ? "as soon as the mode lets it run"
                  : Formats.day(answer.path("next_at"));
          line("sweeps     " + (isOn ? "on, next " + next : "off"));
          line("model      " + (answer.path("model").asBoolean() ? "there" : "none is named"));
          line("promotion  " + CliJson.text(answer, "global_promote"));
          if (!answer.path(RUNNING).isNull()) {
            line("running    " + CliJson.text(answer, RUNNING));
          }
          List<String> counts = new ArrayList<>();
          answer
              .path("proposals")
              .properties()
              .forEach(count -> counts.add(count.getValue().asText() + " " + count.getKey()));
          line("proposals  " + String.join(", ", counts));
        });
  }

  @Command(name = "log", description = "List the sweeps, newest first, or tell the story of one.")
  int log(
      @Parameters(
              paramLabel = "ID",
              arity = "0..1",
              defaultValue = "",
              description = "As the list shows it.")
          String id,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit)
      throws CliException, InterruptedException {
    if (!id.isEmpty()) {
      String path = PATH + "/sweeps/" + segment(id, "sweep");
      JsonNode run = root.ask(api -> api.get(path));
      return print(run, () -> tell(run));
    }
    JsonNode answer = root.ask(api -> api.get(PATH + "/sweeps?limit=" + limit));
    List<JsonNode> _ =
        printList(
            answer,
            "sweeps",
            "there was no sweep yet",
            List.of(
                "ID",
                "BEGUN",
                "BY",
                "OUTCOME",
                "THREADS",
                "MERGED",
                "DROPPED",
                "UPDATED",
                "PROMOTED"),
            row ->
                List.of(
                    CliJson.text(row, "id"),
                    Formats.day(row.path("begun_at")),
                    CliJson.text(row, "by"),
                    CliJson.text(row, "outcome")
                        + (row.path("dry_run").asBoolean() ? " (dry run)" : ""),
                    CliJson.text(row, "threads"),
                    CliJson.text(row, "merged"),
                    CliJson.text(row, "dropped"),
                    CliJson.text(row, "updated"),
                    CliJson.text(row, "promoted")));
    return ExitCode.OK;
  }

  @Command(
      name = "proposals",
      description = "List the lines that all conversations may come to know.",
      footer = {"", "ready: waits for approve or reject. watched: the notes say what is missing."})
  int proposals(
      @Option(names = "--all", description = "Include those that were decided.") boolean all)
      throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(PATH + "/proposals"));
    if (root.json) {
      root.print(answer);
      return ExitCode.OK;
    }
    List<JsonNode> rows =
        CliJson.items(answer, "proposals").stream()
            .filter(row -> all || Set.of("ready", "watched").contains(CliJson.text(row, "state")))
            .toList();
    if (rows.isEmpty()) {
      line("nothing is proposed");
    }
    for (JsonNode row : rows) {
      line(
          "%s  %s  score %s"
              .formatted(
                  CliJson.text(row, "id"), CliJson.text(row, "state"), CliJson.text(row, "score")));
      line("  " + CliJson.text(row, "day") + ": " + CliJson.text(row, "text"));
      line("  from " + CliJson.text(row, "thread_id") + ": " + CliJson.text(row, "why"));
      row.path("notes").forEach(note -> line("  note: " + note.asText()));
    }
    return ExitCode.OK;
  }

  @Command(name = "approve", description = "Let all conversations know a line.")
  int approve(@Parameters(paramLabel = "ID", description = "As proposals shows it.") String id)
      throws CliException, InterruptedException {
    return decide(id, "approve", "all conversations know now: ");
  }

  @Command(name = "reject", description = "Keep a line in its own conversation for good.")
  int reject(@Parameters(paramLabel = "ID", description = "As proposals shows it.") String id)
      throws CliException, InterruptedException {
    return decide(id, "reject", "stays in its conversation: ");
  }

  private int decide(String id, String what, String said)
      throws CliException, InterruptedException {
    String path = PATH + "/proposals/" + segment(id, "proposal") + "/" + what;
    JsonNode proposal = root.ask(api -> api.post(path, CliJson.object()));
    return print(proposal, () -> line(said + CliJson.text(proposal, "text")));
  }

  @Command(name = "history", description = "List the earlier contents of a memory.")
  int history(
      @Option(
              names = "--thread",
              paramLabel = "THREAD",
              defaultValue = "",
              description = "Of this conversation. Default: of all of them.")
          String thread)
      throws CliException, InterruptedException {
    String path =
        PATH + "/versions" + (thread.isEmpty() ? "" : "?thread=" + ApiClient.encoded(thread));
    JsonNode answer = root.ask(api -> api.get(path));
    List<JsonNode> _ =
        printList(
            answer,
            "versions",
            "it was never replaced",
            List.of("VERSION", "REPLACED", "BY", "BYTES"),
            row ->
                List.of(
                    CliJson.text(row, "version"),
                    Formats.day(row.path("replaced_at")),
                    CliJson.text(row, "by"),
                    CliJson.text(row, "bytes")));
    return ExitCode.OK;
  }

  @Command(
      name = "restore",
      description = "Bring an earlier content of a memory back, byte for byte.",
      footer = {"", "What is there now becomes a version, so that this can be undone as well."})
  int restore(
      @Parameters(paramLabel = "VERSION", description = "As history shows it.") int version,
      @Option(
              names = "--thread",
              paramLabel = "THREAD",
              defaultValue = "",
              description = "Of this conversation. Default: of all of them.")
          String thread)
      throws CliException, InterruptedException {
    ObjectNode wanted = CliJson.object().put("version", version);
    if (!thread.isEmpty()) {
      wanted.put("thread", thread);
    }
    JsonNode answer = root.ask(api -> api.post(PATH + "/restore", wanted));
    return print(
        answer,
        () ->
            line(
                "version %s is back, %s bytes"
                    .formatted(CliJson.text(answer, "version"), CliJson.text(answer, "bytes"))));
  }

  private void tell(JsonNode run) {
    String note = CliJson.text(run, "note");
    line(
        "sweep "
            + CliJson.text(run, "id")
            + ": "
            + CliJson.text(run, "outcome")
            + (note.isEmpty() ? "" : ", " + note)
            + (run.path("dry_run").asBoolean() ? " (dry run: nothing was changed)" : ""));
    List<JsonNode> stories = CliJson.items(run, "stories");
    if (stories.isEmpty()) {
      boolean isDone = CliJson.text(run, "outcome").equals("done");
      line(isDone ? "  there was nothing to tidy" : "  no conversation was swept");
    }
    for (JsonNode story : stories) {
      line(
          "%s: %s; %s kept, %s merged, %s dropped, %s updated, %s proposed"
              .formatted(
                  CliJson.text(story, "thread_id"),
                  CliJson.text(story, "outcome"),
                  CliJson.text(story, "kept"),
                  CliJson.text(story, "merged"),
                  CliJson.text(story, "dropped"),
                  CliJson.text(story, "updated"),
                  CliJson.text(story, "proposed")));
      story.path("problems").forEach(problem -> line("  refused: " + problem.asText()));
      story.path("notes").forEach(said -> line("  note: " + said.asText()));
      CliJson.items(story, "changes").forEach(this::tellChange);
      CliJson.items(story, "proposals").stream()
          .filter(proposal -> !CliJson.text(proposal, "refused").isEmpty())
          .forEach(
              proposal ->
                  line(
                      "  not proposed: "
                          + CliJson.text(proposal, "text")
                          + ": "
                          + CliJson.text(proposal, "refused")));
    }
    if (run.path("promoted").asInt() > 0) {
      line(CliJson.text(run, "promoted") + " lines are known to all conversations now");
    }
  }

  private void tellChange(JsonNode change) {
    line("  " + CliJson.text(change, "do") + ": " + CliJson.text(change, "why"));
    change.path("lines").forEach(old -> line("    - " + old.asText()));
    String text = CliJson.text(change, "text");
    if (!text.isEmpty()) {
      line("    + " + text);
    }
    String because = CliJson.text(change, "because");
    if (!because.isEmpty()) {
      line("    because " + because);
    }
  }

  private void line(String text) {
    root.terminal().line(VisibleText.lines(text, "  "));
  }
}
