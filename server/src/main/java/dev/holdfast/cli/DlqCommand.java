package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The dead letters. */
@Command(
    name = "dlq",
    description = "List, show, replay or discard dead letters: what the server gave up on.",
    footer = {
      "",
      "Examples:",
      "  holdfast dlq list --kind event",
      "  holdfast dlq replay 17 18",
      "  holdfast dlq replay --all --older-than 2h --dry-run"
    })
final class DlqCommand extends CommandGroup {
  static final String PATH = "/api/v1/dead-letters";
  private static final int PAGE = 500;

  /** The server gives no more at once. */
  private static final int LIMIT_MAX = 1000;

  DlqCommand(RootCommand root) {
    super(root, "dlq list, show, replay or discard");
  }

  /** Which dead letters are meant. */
  static final class Filter {
    @Option(
        names = "--kind",
        paramLabel = "KIND",
        description =
            "Only this kind: event, reply, task or bus. Without it, --all means events and"
                + " replies.")
    String kind = "";

    @Option(
        names = "--older-than",
        paramLabel = "TIME",
        description = "Only those older than this: 90s, 15m, 2h or 7d.")
    String olderThan = "";

    String path(int limit) throws CliException {
      return PATH
          + "?limit="
          + limit
          + (kind.isEmpty() ? "" : "&kind=" + ApiClient.encoded(kind))
          + (olderThan.isEmpty()
              ? ""
              : "&older_than_secs=" + Formats.parseLength(olderThan).toSeconds());
    }
  }

  /** The ids, or all that a filter lets through. */
  static final class Choice {
    @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of dead letters.")
    @Nullable List<String> ids;

    @Option(names = "--all", description = "All that match --kind and --older-than.")
    boolean all;

    @Option(names = "--dry-run", description = "Only show what would be done.")
    boolean dryRun;

    @Mixin Filter filter = new Filter();
  }

  @Command(name = "list", description = "List dead letters, newest first.")
  int list(
      @Mixin Filter filter,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit)
      throws CliException, InterruptedException {
    String path = filter.path(limit);
    JsonNode answer = root.ask(api -> api.get(path));
    List<JsonNode> rows =
        printList(
            answer,
            "dead_letters",
            "no dead letters",
            List.of("ID", "KIND", "SINCE", "TRIES", "THREAD", "REASON"),
            letter ->
                List.of(
                    CliJson.text(letter, "id"),
                    CliJson.text(letter, "kind"),
                    Formats.day(letter.path("at")),
                    CliJson.text(letter, "attempts"),
                    CliJson.text(letter, "thread_id"),
                    CliJson.text(letter, "reason")));
    if (!rows.isEmpty()) {
      root.terminal().note("total: " + counts(answer));
    }
    return ExitCode.OK;
  }

  @Command(name = "show", description = "Show one dead letter in full.")
  int show(@Parameters(paramLabel = "ID", description = "The id of a dead letter.") String id)
      throws CliException, InterruptedException {
    JsonNode letter =
        root.ask(
            api -> api.get(PATH + "/" + ApiClient.encoded(id)), "holdfast dlq list names them all");
    if (root.json) {
      root.print(letter);
      return ExitCode.OK;
    }
    Terminal terminal = root.terminal();
    terminal.line(terminal.bold(CliJson.text(letter, "kind") + " " + CliJson.text(letter, "id")));
    for (String field :
        List.of("event_id", "plan_id", "dedupe_key", "thread_id", "attempts", "reason")) {
      String value = CliJson.text(letter, field);
      if (!value.isEmpty()) {
        terminal.field(field.replace('_', ' '), value);
      }
    }
    terminal.field("given up", Formats.day(letter.path("at")));
    terminal.line("");
    terminal.line(content(letter));
    terminal.note("replay it: holdfast dlq replay " + CliJson.text(letter, "id"));
    if (CliJson.text(letter, "kind").equals("event")) {
      terminal.note("its story: holdfast trace " + CliJson.text(letter, "event_id"));
    }
    if (letter.has("plan_id")) {
      terminal.note("its plan: holdfast plans show " + CliJson.text(letter, "plan_id"));
    }
    return ExitCode.OK;
  }

  /** The words of a message or reply, without what surrounds them. */
  private static String content(JsonNode letter) {
    String payload = CliJson.raw(letter, "payload");
    try {
      String text = CliJson.raw(CliJson.parse(payload), "text");
      return VisibleText.line(text.isEmpty() ? payload : text);
    } catch (JsonProcessingException _) {
      return VisibleText.line(payload);
    }
  }

  @Command(
      name = "replay",
      description =
          "Replay dead letters, oldest first: an event runs again, a reply is posted again, a task"
              + " in a new plan, an event for the bus is published again.")
  int replay(@Mixin Choice choice) throws CliException, InterruptedException {
    return each(
        choice,
        "replay",
        "replayed",
        (api, id) -> api.post(PATH + "/" + ApiClient.encoded(id) + "/replay", CliJson.object()));
  }

  @Command(name = "discard", description = "Discard dead letters permanently.")
  int discard(@Mixin Choice choice) throws CliException, InterruptedException {
    return each(
        choice,
        "discard",
        "discarded",
        (api, id) -> api.delete(PATH + "/" + ApiClient.encoded(id)));
  }

  /** What is done to one dead letter. */
  private interface LetterAction {
    JsonNode run(ApiClient api, String id)
        throws ApiClient.UnavailableException, ApiClient.RefusedException, InterruptedException;
  }

  private int each(Choice choice, String verb, String done, LetterAction action)
      throws CliException, InterruptedException {
    boolean named = choice.ids != null && !choice.ids.isEmpty();
    if (named == choice.all) {
      throw new CliException(ExitCode.USAGE, "give ids, or --all with optional filters");
    }
    if (named && (!choice.filter.kind.isEmpty() || !choice.filter.olderThan.isEmpty())) {
      throw new CliException(ExitCode.USAGE, "--kind and --older-than require --all, not ids");
    }
    // What fails again at once is dead again before the last one is replayed: it is left alone.
    String bound = named ? "" : "&order=oldest&up_to=" + newest(choice.filter.kind);
    Map<String, String> results = new LinkedHashMap<>();
    for (List<String> ids = next(choice, bound, results);
        !ids.isEmpty();
        ids = next(choice, bound, results)) {
      for (String id : ids) {
        results.put(id, choice.dryRun ? "would " + verb : one(action, id, done));
        root.terminal().progress(results.size() + " " + done);
      }
    }
    return report(choice, done, results);
  }

  private long newest(String kind) throws CliException, InterruptedException {
    String path = PATH + "?limit=1" + (kind.isEmpty() ? "" : "&kind=" + ApiClient.encoded(kind));
    return root.ask(api -> api.get(path)).path("newest").asLong();
  }

  /** The ids that were not looked at yet. */
  private List<String> next(Choice choice, String bound, Map<String, String> results)
      throws CliException, InterruptedException {
    List<String> ids = new ArrayList<>();
    if (choice.ids != null) {
      ids.addAll(choice.ids);
    } else {
      // Those that failed or are only looked at stay in front: ask for more than they are.
      // The oldest first: of one chat thread they are to be answered in their order.
      String path = choice.filter.path(Math.min(results.size() + PAGE, LIMIT_MAX)) + bound;
      JsonNode page = root.ask(api -> api.get(path));
      CliJson.items(page, "dead_letters").forEach(letter -> ids.add(CliJson.text(letter, "id")));
    }
    ids.removeAll(results.keySet());
    return ids;
  }

  private String one(LetterAction action, String id, String done)
      throws CliException, InterruptedException {
    return root.ask(
        api -> {
          try {
            return action.run(api, id).path(done).asBoolean() ? done : "not " + done;
          } catch (ApiClient.RefusedException e) {
            if (e.status() == 401 || e.status() == 403) {
              throw e;
            }
            return "not " + done + ": " + e.getMessage();
          }
        });
  }

  private int report(Choice choice, String done, Map<String, String> results) {
    long good = results.values().stream().filter(done::equals).count();
    boolean allGood = choice.dryRun || good == results.size();
    if (root.json) {
      ObjectNode answer = CliJson.object().put("dry_run", choice.dryRun).put(done, good);
      ArrayNode list = answer.putArray("dead_letters");
      results.forEach((id, result) -> list.addObject().put("id", id).put("result", result));
      root.print(answer);
      return allGood ? ExitCode.OK : ExitCode.NOT_GOOD;
    }
    results.forEach(
        (id, result) -> {
          if (choice.dryRun || !result.equals(done)) {
            root.terminal().line(id + ": " + result);
          }
        });
    root.terminal()
        .line(
            choice.dryRun
                ? results.size() + " in total; nothing was changed"
                : good + " of " + results.size() + " " + done);
    return allGood ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private static String counts(JsonNode answer) {
    List<String> counts = new ArrayList<>();
    answer
        .path("counts")
        .properties()
        .forEach(
            count ->
                counts.add(VisibleText.line(count.getKey()) + " " + count.getValue().asLong()));
    return counts.isEmpty() ? "0" : String.join(", ", counts);
  }
}
