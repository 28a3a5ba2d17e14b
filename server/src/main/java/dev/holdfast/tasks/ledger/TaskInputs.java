package dev.holdfast.tasks.ledger;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskEvent;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What agents have asked people for, and the answers. A question that is on disk waits until it is
 * answered, its deadline has passed or its task has ended. Thread-safe.
 */
public final class TaskInputs {
  private static final String ANSWERED = "answered_at > 0 and answered_by <> ''";

  private final Engine engine;
  private final Inbox inbox;
  private final Audit audit;
  private final PlanChanges changes;
  private final Time time;

  TaskInputs(Engine engine, Inbox inbox, Audit audit, PlanChanges changes, Time time) {
    this.engine = engine;
    this.inbox = inbox;
    this.audit = audit;
    this.changes = changes;
    this.time = time;
  }

  /** What a task waits for; empty when it waits for nobody. */
  public Optional<TaskInput> open(String taskId) {
    return engine.read(sql -> InputRows.open(sql, taskId));
  }

  /** What its agent is given at the next attempt; empty when it was told nothing yet. */
  public Optional<TaskInput> answered(String taskId) {
    return engine
        .read(sql -> InputRows.newest(sql, taskId, ANSWERED))
        .filter(input -> !input.question().isBeforeCall());
  }

  /**
   * What a task does not wait for any more, oldest first: with its answer, or without one by
   * anybody when the task ended first. Of a credential only whether it was given.
   */
  public List<TaskInput> closed(String taskId) {
    return engine.read(sql -> InputRows.closed(sql, taskId));
  }

  /** Whether a person has allowed that its agent is called. */
  public boolean isAllowed(String taskId) {
    return engine
        .read(
            sql ->
                sql.list(
                    InputRows::input,
                    InputRows.INPUTS + "where task = ? and kind = 'APPROVAL' and " + ANSWERED,
                    taskId))
        .stream()
        .flatMap(found -> Optional.ofNullable(found.input()).stream())
        .anyMatch(
            input -> input.question().isBeforeCall() && input.question().allows(input.answer()));
  }

  /** Asks a person before the agent of a task is called. */
  public boolean askBefore(String taskId, InputQuestion question) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> task = TaskRows.task(tx.sql(), taskId);
          return task.isPresent()
              && PlanChanges.isWaiting(task.get())
              && changes.ask(tx, task.get(), question);
        });
  }

  /** The open question of a chat thread with a code, in any case of its letters. */
  public Optional<TaskInput> open(String threadId, String code) {
    return openOf(ThreadReader.OPERATOR, 1000).stream()
        .filter(one -> one.code().equals(code.toLowerCase(Locale.ROOT)))
        .filter(one -> threadId.equals(threadOf(one.planId())))
        .findFirst();
  }

  private String threadOf(String planId) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getString(1),
                    "select thread_id from tasks_plans where id = ?",
                    planId))
        .orElse("");
  }

  /** Those that wait, oldest first. */
  public List<TaskInput> openOf(ThreadReader reader, int limit) {
    return engine
        .read(
            sql ->
                sql.list(
                    InputRows::input,
                    InputRows.INPUTS
                        + "where answered_at = 0 and plan in (select id from tasks_plans where "
                        + ThreadReader.MAY_SEE
                        + ") order by no limit ?",
                    reader.flag(),
                    reader.name(),
                    limit))
        .stream()
        .flatMap(found -> Optional.ofNullable(found.input()).stream())
        .toList();
  }

  /**
   * Writes an answer down, and {@code entry} with it; its task goes on. False when it does not wait
   * any more.
   *
   * @param answer one that the question allows
   * @param by a person
   */
  public boolean answer(String inputId, String answer, String by, AuditEntry entry)
      throws StoreException {
    return engine.call(
        tx -> {
          boolean taken = answer(tx, inputId, answer, by);
          if (taken) {
            audit.insert(tx, entry);
          }
          return taken;
        });
  }

  private boolean answer(Transaction tx, String inputId, String answer, String by)
      throws SQLException {
    Optional<TaskInput> input = waiting(tx, inputId);
    if (input.isEmpty()) {
      return false;
    }
    Optional<Task> task = TaskRows.task(tx.sql(), input.get().taskId());
    if (task.isEmpty() || task.get().state() != TaskState.AWAITING_INPUT) {
      return false;
    }
    tx.sql()
        .update(
            "update tasks_inputs set answer = ?, answered_by = ?, answered_at = ? where id = ?",
            answer,
            by,
            Timestamps.of(time.now()),
            inputId);
    tx.sql()
        .update(
            "update tasks_tasks set due_at = ? where id = ?",
            Timestamps.of(time.now()),
            task.get().id());
    InputQuestion question = input.get().question();
    if (question.isBeforeCall() && !question.allows(answer)) {
      boolean cancelled = changes.move(tx, task.get(), TaskEvent.CANCEL, "rejected by " + by);
      changes.settle(tx, task.get().planId());
      return cancelled;
    }
    return changes.move(tx, task.get(), TaskEvent.ANSWER, "answered by " + by);
  }

  private static Optional<TaskInput> waiting(Transaction tx, String inputId) throws SQLException {
    return InputRows.whole(
            tx.sql().first(InputRows::input, InputRows.INPUTS + "where id = ?", inputId))
        .filter(TaskInput::isOpen);
  }

  /** Ends what has waited too long: with the answer for that, or by giving the task up. */
  public int endOverdue(Instant now, int limit) throws StoreException {
    List<InputRows.Found> overdue =
        engine.read(
            sql ->
                sql.list(
                    InputRows::input,
                    InputRows.INPUTS
                        + "where answered_at = 0 and deadline <= ? order by deadline limit ?",
                    Timestamps.of(now),
                    limit));
    int ended = 0;
    for (InputRows.Found one : overdue) {
      if (engine.call(tx -> endOverdue(tx, one))) {
        ended++;
      }
    }
    return ended;
  }

  private boolean endOverdue(Transaction tx, InputRows.Found found) throws SQLException {
    TaskInput input = found.input();
    String fallback = input == null ? null : input.question().fallback();
    if (input != null && fallback != null) {
      return answer(tx, input.id(), fallback, TaskInput.BY_DEADLINE);
    }
    Optional<Task> task = TaskRows.task(tx.sql(), found.taskId());
    if (task.isEmpty()) {
      InputRows.close(tx, found.taskId(), true, time.now());
      return false;
    }
    String why = input == null ? "its question is damaged" : "nobody has answered in time";
    boolean given =
        changes.giveUpAsking(tx, task.get(), new TaskFailure(FailureCode.TIMEOUT, why, true));
    if (given) {
      changes.settle(tx, task.get().planId());
    }
    return given;
  }

  /** Questions whose chat thread was not asked, the oldest first. */
  public List<TaskInput> untold(int limit) {
    return engine
        .read(
            sql ->
                sql.list(
                    InputRows::input,
                    InputRows.INPUTS + "where told = 0 and answered_at = 0 order by no limit ?",
                    limit))
        .stream()
        .flatMap(found -> Optional.ofNullable(found.input()).stream())
        .toList();
  }

  /** Makes a question an event of its thread, in one transaction with what is noted of it. */
  public boolean tell(TaskInput input, NewEvent event) throws StoreException {
    return inbox.appendWith(
        tx ->
            tx.sql()
                .first(
                    row -> row.getInt(1),
                    "select 1 from tasks_inputs where id = ? and told = 0 and answered_at = 0",
                    input.id())
                .isPresent(),
        event,
        (tx, _) -> tx.sql().update("update tasks_inputs set told = 1 where id = ?", input.id()));
  }

  /** Whether it may be asked and answered where others of a chat thread can read it. */
  public static boolean isForChats(TaskInput input) {
    return input.question().kind() != InputKind.CREDENTIAL;
  }
}
