package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** A plan with its steps, as a person reads it. */
final class PlanText {
  static final List<String> STEP_HEADINGS =
      List.of("STEP", "STATE", "AGENT", "ACTION", "ATTEMPTS", "NEEDS", "NOTE");

  /** How much of a question stands in a table. */
  static final int QUESTION_SHOWN = 100;

  private static final int OUTPUT_MAX = 500;

  private final JsonNode plan;

  PlanText(JsonNode plan) {
    this.plan = plan;
  }

  void print(Terminal terminal, boolean moves) {
    head().forEach(terminal::line);
    terminal.table(STEP_HEADINGS, steps());
    questions().forEach(terminal::line);
    outputs().forEach(output -> terminal.line("output of " + output));
    if (moves) {
      moves().forEach(terminal::line);
    }
  }

  List<String> head() {
    List<String> lines = new ArrayList<>();
    for (String key : List.of("plan_id", "goal", "state", "reason", "thread_id", "person")) {
      String value = CliJson.text(plan, key);
      if (!value.isEmpty()) {
        lines.add(key.replace('_', ' ') + ": " + value);
      }
    }
    lines.add("made: " + Formats.day(plan.path("made_at")));
    if (plan.path("ended_at").isTextual()) {
      lines.add("ended: " + Formats.day(plan.path("ended_at")));
    }
    return lines;
  }

  /** A row for each step, below {@link #STEP_HEADINGS}. */
  List<List<String>> steps() {
    Set<String> succeeded = new HashSet<>();
    List<JsonNode> steps = CliJson.items(plan, "steps");
    steps.stream()
        .filter(step -> CliJson.raw(step, "state").equals("succeeded"))
        .forEach(step -> succeeded.add(CliJson.raw(step, "name")));
    return steps.stream().map(step -> row(step, succeeded)).toList();
  }

  private static List<String> row(JsonNode step, Set<String> succeeded) {
    return List.of(
        CliJson.text(step, "name"),
        CliJson.text(step, "state"),
        CliJson.text(step, "agent"),
        CliJson.text(step, "action"),
        Integer.toString(step.path("attempts").size()),
        String.join(", ", needs(step)),
        note(step, succeeded));
  }

  private static List<String> needs(JsonNode step) {
    List<String> needs = new ArrayList<>();
    step.path("needs").forEach(need -> needs.add(need.asText()));
    return needs;
  }

  private static String note(JsonNode step, Set<String> succeeded) {
    String state = CliJson.raw(step, "state");
    List<String> missing = needs(step).stream().filter(need -> !succeeded.contains(need)).toList();
    if (state.equals("queued") && !missing.isEmpty()) {
      return "waits for " + String.join(", ", missing);
    }
    if (step.path("input").isObject()) {
      JsonNode input = step.path("input");
      return "asks for "
          + CliJson.raw(input, "kind")
          + " until "
          + Formats.day(input.path("deadline"))
          + ": "
          + Formats.brief(CliJson.raw(input, "question"), QUESTION_SHOWN)
          + " (holdfast plans answer "
          + CliJson.raw(step, "task_id")
          + ")";
    }
    String reason = CliJson.raw(step, "reason");
    String doing = CliJson.raw(step, "doing");
    if (!doing.isEmpty()) {
      return doing;
    }
    return state.equals("retried")
        ? "next attempt at " + Formats.clock(step.path("due_at")) + ": " + reason
        : reason;
  }

  /** The answers that there are. */
  static String choices(JsonNode input) {
    List<String> choices = new ArrayList<>();
    input.path("choices").forEach(choice -> choices.add(VisibleText.line(choice.asText())));
    return String.join(", ", choices);
  }

  /** What agents ask, where the table has no room for all of it. */
  List<String> questions() {
    return CliJson.items(plan, "steps").stream()
        .filter(step -> CliJson.raw(step.path("input"), "question").length() > QUESTION_SHOWN)
        .map(
            step ->
                "question of "
                    + CliJson.text(step, "name")
                    + ": "
                    + CliJson.text(step.path("input"), "question"))
        .toList();
  }

  /** What the steps have answered. */
  List<String> outputs() {
    return CliJson.items(plan, "steps").stream()
        .filter(step -> !step.path("output").isNull() && step.has("output"))
        .map(
            step ->
                CliJson.text(step, "name")
                    + ": "
                    + VisibleText.line(Formats.brief(value(step.path("output")), OUTPUT_MAX)))
        .toList();
  }

  private static String value(JsonNode output) {
    return output.isTextual() ? output.asText() : output.toString();
  }

  /** Each move of the plan and of its steps, the first one first. */
  List<String> moves() {
    TreeMap<String, String> names = new TreeMap<>();
    CliJson.items(plan, "steps")
        .forEach(step -> names.put(CliJson.raw(step, "task_id"), CliJson.raw(step, "name")));
    return CliJson.items(plan, "moves").stream()
        .map(
            move -> {
              String reason = CliJson.text(move, "reason");
              String task = CliJson.raw(move, "task_id");
              return Formats.clock(move.path("at"))
                  + "  "
                  + (task.isEmpty() ? "plan" : VisibleText.line(names.getOrDefault(task, task)))
                  + ": "
                  + CliJson.text(move, "to")
                  + (reason.isEmpty() ? "" : " (" + reason + ")");
            })
        .toList();
  }

  /** How far its steps are, on one line. */
  String progress() {
    return String.join(
        ", ",
        CliJson.items(plan, "steps").stream()
            .map(step -> CliJson.text(step, "name") + " " + CliJson.text(step, "state"))
            .toList());
  }

  boolean hasEnded() {
    return plan.path("ended_at").isTextual();
  }

  boolean hasSucceeded() {
    return CliJson.raw(plan, "state").equals("succeeded");
  }
}
