package dev.holdfast.tasks.chat;

import dev.holdfast.extensions.Texts;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.ledger.NewPlan;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanFilter;
import dev.holdfast.tasks.ledger.PlanOrigin;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.run.PlanRequest;
import dev.holdfast.tasks.run.PlanVerdict;
import dev.holdfast.tasks.run.Plans;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What people read of the plans of their chat thread, and say to them. Thread-safe; blocks. */
public final class PlanChat {
  private static final int SHOWN = 10;
  private static final int CODE_LENGTH = 8;
  private static final int CODE_MIN = 4;
  private static final int GOAL_SHOWN = 120;

  private final Plans plans;

  public PlanChat(Plans plans) {
    this.plans = plans;
  }

  /** The plans that go on and the newest that have ended. */
  public String list(String threadId) {
    List<Plan> newest =
        plans.ledger().list(ThreadReader.OPERATOR, threadId, PlanFilter.ALL, Long.MAX_VALUE, SHOWN);
    if (newest.isEmpty()) {
      return "This conversation has no plans.";
    }
    StringBuilder text = new StringBuilder();
    for (Plan plan : newest) {
      text.append(text.isEmpty() ? "" : "\n").append(line(plan));
      if (!plan.state().isTerminal()) {
        plans.ledger().tasksOf(plan.id()).forEach(task -> waiting(task).ifPresent(text::append));
      }
    }
    return text.toString();
  }

  /** What a task waits for. */
  private Optional<String> waiting(Task task) {
    return plans
        .ledger()
        .inputs()
        .open(task.id())
        .map(
            input ->
                "\n  step %s waits for you (%s): %s"
                    .formatted(
                        task.step().name(),
                        input.code().toUpperCase(Locale.ROOT),
                        Texts.cut(Texts.visible(input.question().text()), GOAL_SHOWN)));
  }

  private String line(Plan plan) {
    List<Task> tasks = plans.ledger().tasksOf(plan.id());
    long done = tasks.stream().filter(task -> task.state().isTerminal()).count();
    String goal = plan.goal().lines().findFirst().orElse("");
    return "%s  %s, %d of %d steps done: %s"
        .formatted(
            code(plan),
            plan.state().name().toLowerCase(Locale.ROOT),
            done,
            tasks.size(),
            goal.length() <= GOAL_SHOWN ? goal : goal.substring(0, GOAL_SHOWN) + " …");
  }

  private static String code(Plan plan) {
    return plan.id().substring(plan.id().length() - CODE_LENGTH);
  }

  /**
   * Ends one plan.
   *
   * @param code the end of its id; empty for the only one that goes on
   */
  public String cancel(String threadId, String code, String eventId, String person)
      throws StoreException {
    List<Plan> found =
        plans
            .ledger()
            .list(
                ThreadReader.OPERATOR,
                threadId,
                code.isEmpty() ? PlanFilter.OPEN : PlanFilter.ALL,
                Long.MAX_VALUE,
                1000)
            .stream()
            .filter(plan -> plan.id().endsWith(code.toLowerCase(Locale.ROOT)))
            .toList();
    if (!code.isEmpty() && code.length() < CODE_MIN) {
      return "A code has %d characters; /plans shows them.".formatted(CODE_LENGTH);
    }
    if (found.size() != 1) {
      return found.isEmpty()
          ? code.isEmpty()
              ? "No plan of this conversation is running."
              : "This conversation has no plan " + code + "; /plans shows them."
          : "More than one plan fits. Send /cancel with one of these codes:\n" + list(threadId);
    }
    return cancel(found.getFirst(), eventId, person);
  }

  private String cancel(Plan plan, String eventId, String person) throws StoreException {
    AuditEntry entry =
        new AuditEntry(
            "plan.cancelled",
            "",
            eventId,
            plan.origin().threadId(),
            "person:" + person,
            new JsonObject().put("plan_id", plan.id()).encode());
    if (plans.cancelTold(plan.id(), "cancelled in the chat", entry)) {
      return "Plan " + code(plan) + " is cancelled.";
    }
    PlanState now = plans.ledger().find(plan.id()).map(Plan::state).orElse(plan.state());
    return now == PlanState.CANCELLED
        ? "Plan " + code(plan) + " is cancelled." // a repeat after a crash
        : "Plan %s has already %s."
            .formatted(code(plan), now == PlanState.SUCCEEDED ? "succeeded" : "failed");
  }

  /** Makes a plan of a goal. */
  public String make(String threadId, String goal, String eventId, String person)
      throws StoreException {
    PlanRequest request =
        new PlanRequest(
            "chat:" + eventId,
            goal,
            NewPlan.PRIORITY,
            new PlanOrigin(threadId, eventId, person),
            Duration.ZERO,
            plans.isSupervised(),
            List.of());
    return switch (plans.create(request)) {
      case PlanVerdict.Made(Plan plan) ->
          "Plan " + code(plan) + " is being made. I will tell you how it ends; /plans shows it.";
      case PlanVerdict.Unavailable unavailable -> unavailable.failure().message();
      case PlanVerdict.Invalid(List<String> problems) ->
          "I have made no plan: " + String.join("; ", problems) + ".";
    };
  }

  /** Answers what an agent has asked for; empty when nothing waits under the code. */
  public Optional<String> answer(
      String threadId, String code, String text, String eventId, String person)
      throws StoreException {
    Optional<TaskInput> input = plans.ledger().inputs().open(threadId, code);
    return input.isEmpty()
        ? Optional.empty()
        : Optional.of(answer(threadId, input.get(), text, eventId, person));
  }

  /** As {@link #answer} for what needs a yes or no. */
  public Optional<String> decide(
      String threadId, String code, boolean yes, String eventId, String person)
      throws StoreException {
    Optional<TaskInput> input = plans.ledger().inputs().open(threadId, code);
    if (input.isEmpty()) {
      return Optional.empty();
    }
    InputQuestion question = input.get().question();
    return Optional.of(
        question.kind() == InputKind.APPROVAL
            ? answer(
                threadId,
                input.get(),
                yes ? question.choices().getFirst() : question.choices().getLast(),
                eventId,
                person)
            : "Answer it with /answer " + code + " and your answer.");
  }

  private String answer(
      String threadId, TaskInput input, String text, String eventId, String person)
      throws StoreException {
    boolean theirs =
        plans
            .ledger()
            .find(input.planId())
            .filter(plan -> plan.origin().person().equals(person))
            .isPresent();
    if (!theirs) {
      return "Only the person who asked for the plan can answer this.";
    }
    if (input.question().kind() == InputKind.CREDENTIAL) {
      return "I have not passed this on: it is secret, and others may read this conversation. Change"
          + " it, and give the new one on the chat page or with holdfast plans answer "
          + input.taskId()
          + ".";
    }
    String answer = chosen(input.question(), text.strip());
    String problem = input.question().problem(answer);
    if (problem != null) {
      return "I have not passed this on: " + problem + ".";
    }
    AuditEntry entry =
        new AuditEntry(
            "task.answered",
            "",
            eventId,
            threadId,
            "person:" + person,
            new JsonObject()
                .put("plan_id", input.planId())
                .put("task_id", input.taskId())
                .put("answer", answer)
                .encode());
    return switch (plans.answer(input, answer, person, entry)) {
      case TAKEN -> "Your answer was passed on.";
      case TOO_LATE -> "It is too late to answer this.";
    };
  }

  /** People do not mind the case of letters. */
  private static String chosen(InputQuestion question, String text) {
    return question.choices().stream()
        .filter(choice -> choice.equalsIgnoreCase(text))
        .findFirst()
        .orElse(text);
  }
}
