package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** One message's whole story. */
@Command(
    name = "trace",
    description = "Show a message's whole story, from its receipt to the reply.",
    footer = {
      "",
      "EVENT is Holdfast's id, or the platform's if only one event has it; or the id of a dead",
      "letter. For that of a task, its plan is shown.",
      "",
      "Example: holdfast trace 0199c0de-1f2e-7abc-8def-0123456789ab"
    })
final class TraceCommand implements Callable<Integer> {
  private static final Set<String> LINE_FIELDS = Set.of("at", "what");

  /** What the story tells in brief and has lines of its own here. */
  private static final Set<String> TOLD_IN_FULL =
      Set.of("event.accepted", "model.called", "reply.planned");

  private static final String EVENTS = "/api/v1/events/";
  private static final int TEXT_SHOWN_MAX = 200;

  private final RootCommand root;

  @Parameters(paramLabel = "EVENT", description = "The id of an event.")
  String event = "";

  TraceCommand(RootCommand root) {
    this.root = root;
  }

  private record Line(Optional<Instant> at, String shownAt, String text) {}

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode story =
        root.ask(
            this::story,
            "give Holdfast's id or the platform's own; holdfast threads show names those of a chat"
                + " thread, and what ended longer ago than inbox.dedupe_hours is forgotten; a plan"
                + " is shown by holdfast plans show");
    if (root.json) {
      root.print(story);
    } else if (story.has("plan_id")) {
      new PlanText(story).print(root.terminal(), true);
    } else {
      show(story);
    }
    return ExitCode.OK;
  }

  /** The story of an event; the plan for the dead letter of a task, which is part of no event. */
  private JsonNode story(ApiClient api)
      throws ApiClient.UnavailableException, ApiClient.RefusedException, InterruptedException {
    try {
      return api.get(EVENTS + ApiClient.encoded(event));
    } catch (ApiClient.RefusedException e) {
      JsonNode letter = e.status() == 404 ? deadLetter(api) : CliJson.object();
      String plan = CliJson.raw(letter, "plan_id");
      String of = CliJson.raw(letter, "event_id");
      if (plan.isEmpty() && of.isEmpty()) {
        throw e;
      }
      return api.get(
          plan.isEmpty()
              ? EVENTS + ApiClient.encoded(of)
              : PlansCommand.PATH + "/" + ApiClient.encoded(plan));
    }
  }

  /** Empty when there is no dead letter of that id, or this token may not see it. */
  private JsonNode deadLetter(ApiClient api)
      throws ApiClient.UnavailableException, InterruptedException {
    try {
      return api.get(DlqCommand.PATH + "/" + ApiClient.encoded(event));
    } catch (ApiClient.RefusedException _) {
      return CliJson.object();
    }
  }

  private void show(JsonNode story) {
    head(story);
    List<Line> lines = new ArrayList<>();
    lines.add(line(story.path("received_at"), "received and committed"));
    CliJson.items(story, "replies")
        .forEach(
            reply -> lines.add(line(reply.path("planned_at"), "reply planned, " + part(reply))));
    CliJson.items(story, "story").stream()
        .filter(line -> !TOLD_IN_FULL.contains(CliJson.text(line, "what")))
        .forEach(line -> lines.add(line(line.path("at"), told(line, story))));
    CliJson.items(story, "model_calls")
        .forEach(call -> lines.add(line(call.path("at"), modelCall(call))));
    lines.sort(
        Comparator.comparing(line -> line.at().orElse(Instant.MAX), Comparator.naturalOrder()));
    Optional<Instant> first = lines.stream().flatMap(line -> line.at().stream()).findFirst();
    for (Line line : lines) {
      String since =
          line.at().isPresent() && first.isPresent()
              ? "+" + Formats.millis(Duration.between(first.get(), line.at().get()).toMillis())
              : "";
      root.terminal()
          .line(
              "  %s %s %s"
                  .formatted(line.shownAt(), root.terminal().dim(padded(since)), line.text()));
    }
    replies(story);
  }

  private void head(JsonNode story) {
    Terminal terminal = root.terminal();
    terminal.line(terminal.bold("event " + CliJson.text(story, "event_id")));
    terminal.line("  platform's id  " + CliJson.text(story, "dedupe_key"));
    terminal.line("  thread         " + CliJson.text(story, "thread_id"));
    terminal.line(
        "  from           %s on %s, %s"
            .formatted(
                CliJson.text(story, "sender"),
                CliJson.text(story, "source"),
                Formats.day(story.path("sent_at"))));
    terminal.line("  text           " + Formats.brief(CliJson.text(story, "text"), TEXT_SHOWN_MAX));
    String state = CliJson.text(story, "state");
    String reason = CliJson.text(story, "reason");
    terminal.line(
        "  state          %s after %s%s%s"
            .formatted(
                state(state),
                attempts(story),
                story.path("cost_usd").asDouble() > 0
                    ? ", cost " + Formats.dollars(story.path("cost_usd").asDouble())
                    : "",
                reason.isEmpty() ? "" : ": " + reason));
    terminal.line("");
  }

  private String state(String state) {
    Terminal terminal = root.terminal();
    return switch (state) {
      case "answered", "silent" -> terminal.good(state);
      case "held", "dead_lettered", "damaged" -> terminal.bad(state.replace('_', '-'));
      default -> terminal.warning(state.replace('_', ' '));
    };
  }

  private static String part(JsonNode reply) {
    return "part " + reply.path("part").asInt() + " of " + reply.path("parts").asInt();
  }

  private static Line line(JsonNode at, String text) {
    return new Line(Formats.instant(at), Formats.clock(at), text);
  }

  /**
   * Tool calls have lines of their own shape: what was asked, what came of it, how long it took.
   */
  private static String told(JsonNode line, JsonNode story) {
    return switch (CliJson.text(line, "what")) {
      case "tool.started" ->
          "tool %s called with %s%s"
              .formatted(
                  CliJson.text(line, "tool"),
                  Formats.brief(CliJson.text(line, "arguments"), TEXT_SHOWN_MAX),
                  execution(line));
      case "turn.cut_off" ->
          (CliJson.text(line, "by").equals("stop")
                  ? "the server was stopped: the turn was cut off"
                  : "the server had gone down and started again: the turn was cut off")
              + ", and goes on from its last checkpoint";
      case "tool.interrupted" ->
          "tool %s was cut off by an earlier stop: its outcome is unknown, it is not run again%s"
              .formatted(CliJson.text(line, "tool"), execution(line));
      case "tool.ended" ->
          "tool %s %s after %s: %s"
              .formatted(
                  CliJson.text(line, "tool"),
                  line.path("error").asBoolean() ? "failed" : "answered",
                  Formats.millis(line.path("millis").asLong()),
                  Formats.brief(CliJson.text(line, "result"), TEXT_SHOWN_MAX));
      case "turn.failed" -> "turn failed" + unlessKnown(line, CliJson.text(story, "reason"));
      case "event.finished" -> "finished: " + CliJson.text(line, "outcome").replace('_', '-');
      default -> what(line);
    };
  }

  /** Why, unless the head of the story says so. */
  private static String unlessKnown(JsonNode line, String reason) {
    String message = CliJson.text(line, "message");
    return reason.contains(message) ? "" : ": " + CliJson.text(line, "code") + ": " + message;
  }

  private static String execution(JsonNode line) {
    String execution = CliJson.text(line, "execution");
    return execution.isEmpty() ? "" : " (execution " + execution + ")";
  }

  /** {@code turn.started} and its details, which every kind has its own of. */
  private static String what(JsonNode line) {
    String details =
        line.properties().stream()
            .filter(field -> !LINE_FIELDS.contains(field.getKey()))
            .map(TraceCommand::detail)
            .filter(detail -> !detail.isEmpty())
            .collect(Collectors.joining(", "));
    String what = CliJson.text(line, "what").replace('.', ' ').replace('_', ' ');
    return details.isEmpty() ? what : what + " (" + details + ")";
  }

  private static String detail(Map.Entry<String, JsonNode> field) {
    JsonNode value = field.getValue();
    if (value.isNull() || (value.isContainerNode() && value.isEmpty())) {
      return "";
    }
    String text = value.isValueNode() ? value.asText() : value.toString();
    String name = field.getKey();
    return name.endsWith("_millis") || name.equals("millis")
        ? name.replace("_millis", "").replace("millis", "took").replace('_', ' ')
            + " "
            + Formats.millis(value.asLong())
        : name.replace('_', ' ') + " " + Formats.brief(VisibleText.line(text), 80);
  }

  private static String modelCall(JsonNode call) {
    long firstToken = call.path("first_token_millis").asLong(-1);
    return "model %s/%s: %s in %s%s, %d tokens in, %d out, %s"
        .formatted(
            CliJson.text(call, "provider"),
            CliJson.text(call, "model"),
            CliJson.text(call, "outcome"),
            Formats.millis(call.path("millis").asLong()),
            firstToken < 0 ? "" : " (first token after " + Formats.millis(firstToken) + ")",
            call.path("input_tokens").asLong(),
            call.path("output_tokens").asLong(),
            Formats.dollars(call.path("cost_usd").asDouble()));
  }

  private void replies(JsonNode story) {
    Terminal terminal = root.terminal();
    for (JsonNode reply : CliJson.items(story, "replies")) {
      String detail = CliJson.text(reply, "detail");
      int unknowns = reply.path("unknowns").asInt();
      terminal.line("");
      terminal.line(
          "reply %s, %s: %s%s%s%s"
              .formatted(
                  CliJson.text(reply, "reply_id"),
                  part(reply),
                  replyState(reply),
                  afterAttempts(reply),
                  unknowns == 0 ? "" : ", " + unknowns + " with an unknown outcome",
                  detail.isEmpty() ? "" : ": " + detail));
      terminal.line("  " + Formats.brief(CliJson.text(reply, "text"), TEXT_SHOWN_MAX));
    }
  }

  private String replyState(JsonNode reply) {
    String state = CliJson.text(reply, "state");
    Instant now = root.environment.time().now();
    return switch (state) {
      case "retry_at" ->
          "waiting, next try "
              + Formats.instant(reply.path("next_at"))
                  .filter(next -> next.isAfter(now))
                  .map(next -> "in " + Formats.millis(Duration.between(now, next).toMillis()))
                  .orElse("now");
      default -> state;
    };
  }

  /** The page fetches its replies: nobody tries to post them. */
  private static String afterAttempts(JsonNode reply) {
    return reply.path("attempts").asInt() == 0 ? "" : " after " + attempts(reply);
  }

  private static String attempts(JsonNode of) {
    int attempts = of.path("attempts").asInt();
    return attempts == 1 ? "1 attempt" : attempts + " attempts";
  }

  private static String padded(String text) {
    return " ".repeat(Math.max(0, 12 - text.length())) + text;
  }
}
