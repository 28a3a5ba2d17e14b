package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Tasks that were given up, until they are tried again or discarded. What has ended stays ended:
 * who tries again gets a new plan. Thread-safe.
 */
public final class TaskLetters {
  /** Tasks that were given up and neither tried again nor discarded. */
  static final Counter COUNTER = new Counter("tasks.letters");

  private final Engine engine;
  private final Audit audit;
  private final PlanChanges changes;
  private final Time time;

  TaskLetters(Engine engine, Audit audit, PlanChanges changes, Time time) {
    this.engine = engine;
    this.audit = audit;
    this.changes = changes;
    this.time = time;
  }

  /** A task that was given up, with its number: whatever is given out later has a higher one. */
  public record Letter(long number, Task task, Plan plan) {}

  /**
   * Those of the chat threads that {@code reader} sees.
   *
   * @param upTo without those with a higher number
   */
  public List<Letter> list(
      ThreadReader reader, Instant olderThan, long upTo, boolean oldestFirst, int limit) {
    List<Long> numbers =
        engine.read(
            sql ->
                sql.list(
                    row -> row.getLong(1),
                    "select no from tasks_tasks where letter = 1 and ended_at < ? and no <= ?"
                        + " and plan in (select id from tasks_plans where "
                        + ThreadReader.MAY_SEE
                        + ") order by no "
                        + (oldestFirst ? "asc" : "desc")
                        + " limit ?",
                    Timestamps.of(olderThan),
                    upTo,
                    reader.flag(),
                    reader.name(),
                    limit));
    return numbers.stream().map(this::find).flatMap(Optional::stream).toList();
  }

  private Optional<Letter> find(long number) {
    return engine.read(
        sql -> {
          Optional<Task> task =
              sql.first(TaskRows::task, TaskRows.TASKS + "where no = ?", number)
                  .flatMap(found -> Optional.ofNullable(found.task()));
          Optional<Plan> plan = Optional.empty();
          if (task.isPresent()) {
            plan =
                sql.first(TaskRows::plan, TaskRows.PLANS + "where id = ?", task.get().planId())
                    .flatMap(found -> found);
          }
          return plan.map(of -> new Letter(number, task.orElseThrow(), of));
        });
  }

  /** By the id of the task; empty when it is none, or none any more. */
  public Optional<Letter> find(String taskId) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getLong(1),
                    "select no from tasks_tasks where id = ? and letter = 1",
                    taskId))
        .flatMap(this::find);
  }

  /** The number of the newest one; 0 when there is none. */
  public long newest() {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getLong(1),
                    "select coalesce(max(no), 0) from tasks_tasks where letter = 1"))
        .orElse(0L);
  }

  /** How many there are of the chat threads that {@code reader} sees. */
  public long count(ThreadReader reader) {
    if (reader.everything()) {
      return engine.counted(COUNTER);
    }
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getLong(1),
                    "select count(*) from tasks_tasks where letter = 1"
                        + " and plan in (select id from tasks_plans where "
                        + ThreadReader.MAY_SEE
                        + ")",
                    reader.flag(),
                    reader.name()))
        .orElse(0L);
  }

  /** Takes a task out of the list; {@code entry} with it. */
  public boolean discard(String taskId, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          boolean gone = drop(tx, "id = ?", taskId) > 0;
          if (gone) {
            audit.insert(tx, entry);
          }
          return gone;
        });
  }

  private static int drop(Transaction tx, String which, String id) throws SQLException {
    int gone =
        tx.sql().update("update tasks_tasks set letter = 0 where letter = 1 and " + which, id);
    tx.count(COUNTER, -gone);
    return gone;
  }

  /**
   * Tries again what a plan did not reach: a new plan that takes over what succeeded, and runs the
   * other steps. {@code entry} is written with it. Empty when the task is no letter any more.
   *
   * @param openMax how many tasks may be open
   * @throws StoreException OVERLOADED when too many are
   */
  public Optional<Plan> retry(String taskId, int openMax, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> given = TaskRows.task(tx.sql(), taskId);
          Optional<Plan> old = Optional.empty();
          if (given.isPresent()) {
            old = PlanChanges.wholePlan(tx, given.get().planId());
          }
          if (old.isEmpty()
              || !old.get().state().isTerminal()
              || drop(tx, "plan = ?", old.get().id()) == 0) {
            return Optional.empty();
          }
          audit.insert(tx, entry);
          return Optional.of(again(tx, old.get(), openMax));
        });
  }

  private Plan again(Transaction tx, Plan old, int openMax) throws SQLException, StoreException {
    List<Task> tasks = PlanChanges.counted(TaskRows.tasksOf(tx.sql(), old.id()), old.replans());
    List<Step> steps = tasks.stream().map(Task::step).toList();
    Plan plan =
        changes.insert(
            tx,
            new NewPlan(
                "retry:" + old.id() + ":" + Timestamps.of(time.now()),
                old.goal(),
                old.priority(),
                old.origin(),
                time.now(),
                old.supervised(),
                steps),
            openMax);
    tx.sql().update("update tasks_plans set retry_of = ? where id = ?", old.id(), plan.id());
    List<Task> added = TaskRows.tasksOf(tx.sql(), plan.id());
    for (int i = 0; i < added.size(); i++) {
      if (tasks.get(i).state() == TaskState.SUCCEEDED) {
        changes.takeOver(tx, added.get(i), tasks.get(i).output(), old.id());
      }
    }
    changes.settle(tx, plan.id());
    return PlanChanges.planOf(tx.sql(), plan.id());
  }
}
