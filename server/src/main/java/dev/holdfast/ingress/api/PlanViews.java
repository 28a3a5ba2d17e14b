package dev.holdfast.ingress.api;

import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.PlanMove;
import dev.holdfast.tasks.ledger.PlanSnapshot;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskAttempt;
import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.tasks.ledger.TaskInputs;
import dev.holdfast.tasks.ledger.TaskSnapshot;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.time.Time;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Plans as the API shows them. */
record PlanViews(Plans plans, Time time) {
  private PlanLedger ledger() {
    return plans.ledger();
  }

  /** As it stands in a list. */
  JsonObject line(Plan plan) {
    List<Task> tasks = ledger().tasksOf(plan.id());
    long ended = tasks.stream().filter(task -> task.state().isTerminal()).count();
    long waiting = tasks.stream().filter(task -> task.state() == TaskState.AWAITING_INPUT).count();
    return head(plan)
        .put("steps_total", tasks.size())
        .put("steps_ended", ended)
        .put("steps_waiting", waiting);
  }

  /** All of it, as it is now. */
  JsonObject whole(Plan plan) {
    return whole(snapshot(plan));
  }

  /** Of one moment: a step that has ended is not shown in a plan that goes on without it. */
  PlanSnapshot snapshot(Plan plan) {
    return ledger().snapshot(plan.id()).orElse(new PlanSnapshot(plan, List.of(), List.of()));
  }

  JsonObject whole(PlanSnapshot plan) {
    JsonArray steps = new JsonArray();
    plan.tasks().forEach(task -> steps.add(step(task)));
    JsonArray moves = new JsonArray();
    plan.moves().forEach(move -> moves.add(view(move)));
    return head(plan.plan()).put("steps", steps).put("moves", moves);
  }

  private static JsonObject head(Plan plan) {
    return new JsonObject()
        .put("plan_id", plan.id())
        .put("goal", plan.goal())
        .put("state", word(plan.state().name()))
        .put("reason", plan.reason())
        .put("priority", plan.priority())
        .put("thread_id", plan.origin().threadId())
        .put("event_id", plan.origin().eventId())
        .put("person", plan.origin().person())
        .put("replans", plan.replans())
        .put("retry_of", plan.retryOf())
        .put("made_at", plan.madeAt().toString())
        .put("ended_at", text(plan.endedAt()));
  }

  private JsonObject step(TaskSnapshot snapshot) {
    Task task = snapshot.task();
    JsonArray attempts = new JsonArray();
    snapshot.attempts().forEach(attempt -> attempts.add(view(attempt)));
    JsonArray needs = new JsonArray();
    task.step().needs().stream().sorted().forEach(needs::add);
    JsonArray answers = new JsonArray();
    snapshot.closed().forEach(input -> answers.add(answer(input)));
    return new JsonObject()
        .put("task_id", task.id())
        .put("name", task.step().name())
        .put("agent", task.agent())
        .put("action", task.step().action())
        .put("payload", new JsonObject(task.step().payload()))
        .put("needs", needs)
        .put("state", word(task.state().name()))
        .put("running", task.isRunning(time.now()))
        .put("doing", plans.doing(task.id()))
        .put("reason", task.reason())
        .put("code", task.code())
        .put("due_at", task.state().isTerminal() ? null : task.dueAt().toString())
        .put("output", task.output().isEmpty() ? null : json(task.output()))
        .put("attempts", attempts)
        .put("round", task.round())
        .put("input", snapshot.open().map(PlanViews::input).orElse(null))
        .put("answers", answers)
        .put("retryable", task.state() == TaskState.DEAD_LETTERED && snapshot.isLetter())
        .put("ended_at", text(task.endedAt()));
  }

  /** What a task has waited for. */
  private static JsonObject answer(TaskInput input) {
    return new JsonObject()
        .put("input_id", input.id())
        .put("kind", word(input.question().kind().name()))
        .put("question", input.question().text())
        .put("answer", TaskInputs.isForChats(input) ? input.answer() : null)
        .put("answered_by", input.answeredBy())
        .put("closed_at", text(input.answeredAt()));
  }

  /** What a task waits for. */
  private static JsonObject input(TaskInput input) {
    return new JsonObject()
        .put("input_id", input.id())
        .put("kind", word(input.question().kind().name()))
        .put("question", input.question().text())
        .put("choices", new JsonArray(input.question().choices()))
        .put("asked_at", input.askedAt().toString())
        .put("deadline", input.deadline().toString())
        .put("at_deadline", input.question().fallback() == null ? "fail" : "fallback")
        .put("fallback", input.question().fallback());
  }

  /** A task with the plan that it belongs to. */
  JsonObject task(Task task, Plan plan) {
    TaskSnapshot snapshot =
        ledger()
            .taskSnapshot(task.id())
            .orElse(new TaskSnapshot(task, List.of(), Optional.empty(), List.of(), false));
    return task(snapshot, plan);
  }

  /** As {@link #task(Task, Plan)}, of one moment. */
  JsonObject task(TaskSnapshot snapshot, Plan plan) {
    return step(snapshot)
        .put("plan_id", plan.id())
        .put("goal", plan.goal())
        .put("thread_id", plan.origin().threadId());
  }

  private static JsonObject view(TaskAttempt attempt) {
    return new JsonObject()
        .put("number", attempt.number())
        .put("agent", attempt.agent())
        .put("began_at", attempt.beganAt().toString())
        .put("ended_at", text(attempt.endedAt()))
        .put("code", attempt.code())
        .put("message", attempt.message());
  }

  private static JsonObject view(PlanMove move) {
    return new JsonObject()
        .put("at", move.at().toString())
        .put("task_id", move.taskId())
        .put("from", word(move.from()))
        .put("to", word(move.to()))
        .put("reason", move.reason());
  }

  private static Object json(String output) {
    try {
      Object value = Json.decodeValue(output);
      return value == null ? output : value;
    } catch (DecodeException _) {
      return output;
    }
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }

  private static String word(String state) {
    return state.toLowerCase(Locale.ROOT);
  }
}
