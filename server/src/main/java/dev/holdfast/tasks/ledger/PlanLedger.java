package dev.holdfast.tasks.ledger;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.FailureLadder;
import dev.holdfast.tasks.rules.PlanEvent;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.TaskEvent;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Plans and tasks on disk. Every change is durable when its method returns; one that a task or plan
 * does not allow in its state, or under an older lease, changes nothing and returns false. Each
 * move is kept with its time and reason. Thread-safe.
 */
public final class PlanLedger {
  /** Plans that have ended and stay to be read; the oldest go first. */
  static final int ENDED_MAX = 10_000;

  /** All tasks that have not ended. */
  static final Counter OPEN = new Counter("tasks.open");

  /** Plans whose steps are not written yet. */
  public static final int DRAFTS_MAX = 1000;

  /** How often what failed is replaced by new steps. */
  public static final int REPLANS_MAX = 2;

  private static final int FORGET_AT_ONCE = 500;

  private final Engine engine;
  private final Inbox inbox;
  private final Audit audit;
  private final Time time;
  private final AgentRecords agents;
  private final PlanChanges changes;
  private final TaskInputs inputs;
  private final TaskLetters letters;
  private final TaskTalks talks;
  private final StepRevisions revisions;

  private PlanLedger(Engine engine, Inbox inbox, Audit audit, Time time) {
    this.engine = engine;
    this.inbox = inbox;
    this.audit = audit;
    this.time = time;
    agents = new AgentRecords(engine, audit);
    changes = new PlanChanges(agents, time);
    inputs = new TaskInputs(engine, inbox, audit, changes, time);
    letters = new TaskLetters(engine, audit, changes, time);
    talks = new TaskTalks(engine);
    revisions = new StepRevisions(engine, changes);
  }

  /** Reads what earlier runs kept. Blocks. */
  public static PlanLedger open(Engine engine, Inbox inbox, Audit audit, Time time)
      throws StoreException, StartRefusedException {
    engine.bring(TaskRows.TABLES);
    PlanLedger ledger = new PlanLedger(engine, inbox, audit, time);
    ledger.mend();
    return ledger;
  }

  public AgentRecords agents() {
    return agents;
  }

  /** What agents have asked people for. */
  public TaskInputs inputs() {
    return inputs;
  }

  /** What agents that are models have said and done. */
  public TaskTalks talks() {
    return talks;
  }

  /** Tasks that were given up. */
  public TaskLetters letters() {
    return letters;
  }

  /** Plans whose steps are written or replaced. */
  public StepRevisions revisions() {
    return revisions;
  }

  /** Whether models are asked what a failed step means for the goal; false until this is called. */
  public void reviewWhen(BooleanSupplier reviews) {
    changes.reviewWhen(reviews);
  }

  /**
   * Hears of each move after its commit, in the order of the commits, on the writer's thread: hand
   * over and return.
   */
  public void onMoved(Consumer<PlanMoved> listener) {
    changes.onMoved(listener);
  }

  /** {@code journal}: writes something of its own along with each move, from now on. */
  public void journal(MoveJournal journal) {
    changes.journal(journal);
  }

  /**
   * Writes a plan down, ready to run. A key that is known gets the plan that it made.
   *
   * @param openMax how many tasks may be open
   * @throws StoreException OVERLOADED when too many are
   */
  public Plan make(NewPlan wanted, int openMax) throws StoreException {
    return engine.call(tx -> changes.insert(tx, wanted, openMax));
  }

  /**
   * As {@link #make}; the plan fails at once, so that it can be read why.
   *
   * @param step the one that no agent will do
   */
  public Plan makeFailed(NewPlan wanted, String step, TaskFailure failure, int openMax)
      throws StoreException {
    return engine.call(
        tx -> {
          Optional<Plan> made = PlanChanges.byKey(tx, wanted.key());
          if (made.isPresent()) {
            return made.get();
          }
          Plan plan = changes.insert(tx, wanted, openMax);
          for (Task task : TaskRows.tasksOf(tx.sql(), plan.id())) {
            if (task.step().name().equals(step)) {
              boolean _ = changes.giveUp(tx, task, failure);
            } else if (!plan.state().isTerminal()) {
              boolean _ = changes.move(tx, task, TaskEvent.FAIL, "the plan was refused");
            }
          }
          changes.settle(tx, plan.id());
          return PlanChanges.planOf(tx.sql(), plan.id());
        });
  }

  public Optional<Plan> find(String id) {
    return engine
        .read(sql -> sql.first(TaskRows::plan, TaskRows.PLANS + "where id = ?", id))
        .flatMap(plan -> plan);
  }

  /** Those that the reader may see and whose id has this end; a few of them. */
  public List<Plan> findByEnd(ThreadReader reader, String end) {
    return engine
        .read(
            sql ->
                sql.list(
                    TaskRows::plan,
                    TaskRows.PLANS
                        + "where substr(id, -?) = ? and "
                        + ThreadReader.MAY_SEE
                        + " order by no desc limit 5",
                    end.length(),
                    end,
                    reader.flag(),
                    reader.name()))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  public Optional<Plan> findByKey(String key) {
    return engine
        .read(sql -> sql.first(TaskRows::plan, TaskRows.PLANS + "where key = ?", key))
        .flatMap(plan -> plan);
  }

  /**
   * Newest first.
   *
   * @param reader sees the plans of these threads
   * @param threadId of this chat thread; empty for all
   * @param before the number of the last one of the page before; {@link Long#MAX_VALUE} to begin
   */
  public List<Plan> list(
      ThreadReader reader, String threadId, PlanFilter filter, long before, int limit) {
    String where =
        (threadId.isEmpty() ? "where +thread_id >= ?" : "where thread_id = ?")
            + filter.condition()
            + " and no < ? and "
            + ThreadReader.MAY_SEE
            + " order by no desc limit ?";
    return engine
        .read(
            sql ->
                sql.list(
                    TaskRows::plan,
                    TaskRows.PLANS + where,
                    threadId,
                    before,
                    reader.flag(),
                    reader.name(),
                    limit))
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /** In the order of the steps. */
  public List<Task> tasksOf(String planId) {
    return engine.read(sql -> TaskRows.tasksOf(sql, planId));
  }

  public Optional<Task> task(String id) {
    return engine.read(sql -> TaskRows.task(sql, id));
  }

  /**
   * Tasks that have not ended, oldest first.
   *
   * @param reader sees the tasks of these chat threads
   * @param state as the API spells it; empty for all
   */
  public List<TaskSnapshot> openTasks(ThreadReader reader, String state, int limit) {
    return engine.read(
        sql -> {
          List<TaskSnapshot> tasks = new ArrayList<>();
          for (TaskRows.Found found :
              sql.list(
                  TaskRows::task,
                  TaskRows.TASKS
                      + "where ended_at = 0 and (? = '' or state = ?) and plan in (select id from"
                      + " tasks_plans where ended_at = 0 and "
                      + ThreadReader.MAY_SEE
                      + ") order by no limit ?",
                  state,
                  state.toUpperCase(Locale.ROOT),
                  reader.flag(),
                  reader.name(),
                  limit)) {
            Task task = found.task();
            if (task != null) {
              tasks.add(TaskRows.whole(sql, task));
            }
          }
          return tasks;
        });
  }

  /** All that is kept of a plan; empty when there is none, or none any more. */
  public Optional<PlanSnapshot> snapshot(String planId) {
    return engine.read(
        sql -> {
          Optional<Plan> plan =
              sql.first(TaskRows::plan, TaskRows.PLANS + "where id = ?", planId)
                  .flatMap(found -> found);
          if (plan.isEmpty()) {
            return Optional.empty();
          }
          List<TaskSnapshot> tasks = new ArrayList<>();
          for (Task task : TaskRows.tasksOf(sql, planId)) {
            tasks.add(TaskRows.whole(sql, task));
          }
          return Optional.of(new PlanSnapshot(plan.get(), tasks, TaskRows.moves(sql, planId)));
        });
  }

  /** All that is kept of a task; empty when there is none, or none any more. */
  public Optional<TaskSnapshot> taskSnapshot(String taskId) {
    return engine.read(
        sql -> {
          Optional<Task> task = TaskRows.task(sql, taskId);
          return task.isEmpty() ? Optional.empty() : Optional.of(TaskRows.whole(sql, task.get()));
        });
  }

  /** How many tasks have not ended. From memory. */
  public long open() {
    return engine.counted(OPEN);
  }

  /**
   * Tasks that may be given out: those of a higher priority first, then those that were due first.
   * One whose row is damaged is given up here.
   *
   * @param busy agents that take none now
   * @param deferred levels of models whose tasks wait; that of a task is empty until it was tried
   *     with the models of its agent
   */
  public List<Task> ready(
      Instant now, Collection<String> busy, Collection<String> deferred, int limit)
      throws StoreException {
    return whole(
        engine.read(
            sql ->
                sql.list(
                    TaskRows::task,
                    TaskRows.READY,
                    Timestamps.of(now),
                    new JsonArray(List.copyOf(deferred)).encode(),
                    limit,
                    new JsonArray(List.copyOf(busy)).encode(),
                    limit)));
  }

  /** When the next task comes due that waits for its time alone; empty when none does. */
  public Optional<Instant> nextDue(Instant now) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getLong(1),
                    "select due_at from tasks_tasks where state in ('QUEUED', 'RETRIED')"
                        + " and open_needs = 0 and due_at > ? order by due_at limit 1",
                    Timestamps.of(now)))
        .map(Instant::ofEpochMilli);
  }

  /** Gives a task out under a new lease. Empty when it is not to be given out any more. */
  public Optional<Task.Lease> dispatch(String taskId, Instant leaseUntil) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = TaskRows.task(tx.sql(), taskId);
          if (found.isEmpty() || found.get().state().isTerminal()) {
            return Optional.empty();
          }
          Optional<Plan> plan = PlanChanges.wholePlan(tx, found.get().planId());
          if (plan.isEmpty()) {
            changes.buryPlan(tx, found.get().planId());
            return Optional.empty();
          }
          if (!changes.move(tx, found.get(), TaskEvent.DISPATCH, "")) {
            return Optional.empty();
          }
          Task task = found.get();
          tx.sql()
              .update(
                  "update tasks_tasks set epoch = epoch + 1, lease_until = ? where id = ?",
                  Timestamps.of(leaseUntil),
                  taskId);
          if (plan.get().state() == PlanState.PENDING) {
            boolean _ = changes.move(tx, plan.get(), PlanEvent.START, "");
          }
          return Optional.of(new Task.Lease(taskId, task.epoch() + 1));
        });
  }

  /**
   * Notes that the agent is about to be called; from here on the attempt counts.
   *
   * @param repeatable whether the attempt may be made again although it may have been done
   * @param checkable whether the agent can say afterwards what has become of it
   */
  public boolean begin(Task.Lease lease, boolean repeatable, boolean checkable)
      throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = PlanChanges.leased(tx, lease);
          if (found.isEmpty() || !changes.move(tx, found.get(), TaskEvent.BEGIN, "")) {
            return false;
          }
          Task task = found.get();
          tx.sql()
              .update(
                  "update tasks_tasks set attempts = attempts + 1,"
                      + " agent_attempts = agent_attempts + 1, repeatable = ?, checkable = ?"
                      + " where id = ?",
                  repeatable ? 1 : 0,
                  checkable ? 1 : 0,
                  task.id());
          tx.sql()
              .update(
                  "insert into tasks_attempts (task, number, agent, began_at, ended_at, code,"
                      + " message) values (?, ?, ?, ?, 0, '', '')",
                  task.id(),
                  task.attempts() + 1,
                  task.agent(),
                  Timestamps.of(time.now()));
          return true;
        });
  }

  /** Notes that nothing of an earlier attempt is in doubt any more. */
  public boolean checked(Task.Lease lease) throws StoreException {
    return engine.call(
        tx -> {
          boolean valid = PlanChanges.leased(tx, lease).isPresent();
          if (valid) {
            tx.sql().update("update tasks_tasks set doubtful = 0 where id = ?", lease.taskId());
          }
          return valid;
        });
  }

  /** Ends an attempt and writes down what follows, and what it says of the agent. */
  public boolean end(Task.Lease lease, AttemptEnd end, CircuitRules circuit) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = PlanChanges.leased(tx, lease);
          return found.isPresent() && changes.end(tx, found.get(), end, circuit);
        });
  }

  /**
   * Gives another agent a task that waits.
   *
   * @param failure why the one before does not get it
   */
  public boolean reassign(String taskId, String agent, TaskFailure failure) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = TaskRows.task(tx.sql(), taskId);
          if (found.isEmpty() || !PlanChanges.isWaiting(found.get())) {
            return false;
          }
          Task task = found.get();
          changes.elsewhere(tx, task, agent, failure);
          changes.note(
              tx,
              task.planId(),
              task.id(),
              task.state().name(),
              task.state().name(),
              failure.message() + "; given to " + agent);
          return true;
        });
  }

  /** Gives up a task that waits: no agent will take it. */
  public boolean giveUp(String taskId, TaskFailure failure) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = TaskRows.task(tx.sql(), taskId);
          boolean given = found.isPresent() && changes.giveUp(tx, found.get(), failure);
          if (given) {
            changes.settle(tx, found.get().planId());
          }
          return given;
        });
  }

  private void bury(String taskId) throws StoreException {
    boolean _ =
        engine.call(
            tx -> {
              boolean buried = changes.bury(tx, taskId);
              Optional<String> plan =
                  tx.sql()
                      .first(
                          row -> row.getString(1),
                          "select plan from tasks_tasks where id = ?",
                          taskId);
              if (buried && plan.isPresent()) {
                changes.settle(tx, plan.get());
              }
              return buried;
            });
  }

  /** Empty for a row that is whole. */
  private static String damagedId(ResultSet row) throws SQLException {
    TaskRows.Found found = TaskRows.task(row);
    return found.task() == null ? found.id() : "";
  }

  /** Ends what an earlier run left open and nobody can read. */
  private void mend() throws StoreException {
    List<String> ids =
        engine.read(
            sql ->
                sql.list(
                    PlanLedger::damagedId,
                    TaskRows.TASKS + "indexed by tasks_tasks_open where ended_at = 0"));
    for (String id : ids) {
      if (!id.isEmpty()) {
        bury(id);
      }
    }
    List<String> idle =
        engine.read(
            sql ->
                sql.list(
                    row -> row.getString(1),
                    "select id from tasks_plans where ended_at = 0 and not exists (select 1 from"
                        + " tasks_tasks where plan = tasks_plans.id and ended_at = 0)"));
    for (String plan : idle) {
      boolean _ =
          engine.call(
              tx -> {
                changes.settle(tx, plan);
                return true;
              });
    }
  }

  /** Keeps leases alive that are held here. */
  public void renew(Collection<Task.Lease> leases, Instant until) throws StoreException {
    if (leases.isEmpty()) {
      return;
    }
    engine.call(
        tx -> {
          for (Task.Lease lease : leases) {
            tx.sql()
                .update(
                    "update tasks_tasks set lease_until = ? where id = ? and epoch = ?"
                        + " and state in ('DISPATCHED', 'IN_PROGRESS')",
                    Timestamps.of(until),
                    lease.taskId(),
                    lease.epoch());
          }
          return true;
        });
  }

  /** Whether any task is under a lease, ended or not. */
  public boolean isAnyGivenOut() {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> row.getInt(1),
                    "select 1 from tasks_tasks where state in ('DISPATCHED', 'IN_PROGRESS')"
                        + " limit 1"))
        .isPresent();
  }

  /** Tasks under a lease that has ended by {@code now}; {@link Instant#MAX} for all leases. */
  public List<Task> expired(Instant now, int limit) throws StoreException {
    return whole(
        engine.read(
            sql ->
                sql.list(
                    TaskRows::task,
                    TaskRows.TASKS
                        + "where state in ('DISPATCHED', 'IN_PROGRESS') and lease_until <= ?"
                        + " order by lease_until limit ?",
                    Timestamps.of(now),
                    limit)));
  }

  /** Without those whose row is damaged: they are given up here. */
  private List<Task> whole(List<TaskRows.Found> found) throws StoreException {
    List<Task> whole = new ArrayList<>();
    for (TaskRows.Found one : found) {
      if (one.task() == null) {
        bury(one.id());
      } else {
        whole.add(one.task());
      }
    }
    return whole;
  }

  /**
   * Takes a task back whose lease has ended without a result. One that had begun runs again only if
   * that attempt was repeatable.
   */
  public boolean release(Task.Lease lease, String reason) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = PlanChanges.leased(tx, lease);
          if (found.isEmpty()) {
            return false;
          }
          Task task = found.get();
          boolean begun = task.state() == TaskState.IN_PROGRESS;
          boolean doubtful = begun && !task.repeatable();
          boolean givesUp =
              (doubtful && !task.checkable())
                  || (begun && task.attempts() >= FailureLadder.ATTEMPTS_MAX);
          String why = doubtful && givesUp ? TaskFailure.unknownOutcome(reason) : reason;
          if (!changes.move(tx, task, givesUp ? TaskEvent.GIVE_UP : TaskEvent.RELEASE, why)) {
            return false;
          }
          if (begun) {
            changes.close(tx, task, TaskAttempt.INTERRUPTED, reason);
          }
          if (doubtful && !givesUp) {
            tx.sql().update("update tasks_tasks set doubtful = 1 where id = ?", task.id());
          }
          if (givesUp) {
            tx.sql()
                .update(
                    "update tasks_tasks set code = ? where id = ?",
                    TaskAttempt.INTERRUPTED,
                    task.id());
            changes.settle(tx, task.planId());
          }
          return true;
        });
  }

  /**
   * Ends a plan and all its tasks that have not ended; {@code entry} with it. The leases of those
   * that run are worth nothing from then on.
   */
  public boolean cancel(String planId, String reason, AuditEntry entry) throws StoreException {
    return cancel(planId, reason, entry, false);
  }

  /**
   * As {@link #cancel(String, String, AuditEntry)}.
   *
   * @param told whether the caller tells the chat thread of it, so that nobody else does
   */
  public boolean cancel(String planId, String reason, AuditEntry entry, boolean told)
      throws StoreException {
    return engine.call(
        tx -> {
          Optional<Plan> found =
              tx.sql()
                  .first(TaskRows::plan, TaskRows.PLANS + "where id = ?", planId)
                  .flatMap(plan -> plan);
          if (found.isEmpty() || found.get().state().isTerminal()) {
            return false;
          }
          changes.buryDamaged(tx, planId);
          for (Task task : TaskRows.tasksOf(tx.sql(), planId)) {
            boolean _ = changes.move(tx, task, TaskEvent.CANCEL, reason);
            if (task.state() == TaskState.IN_PROGRESS) {
              changes.close(tx, task, FailureCode.CANCELLED.name(), reason);
            }
          }
          audit.insert(tx, entry);
          if (told) {
            tx.sql().update("update tasks_plans set told = 1 where id = ?", planId);
          }
          return changes.move(tx, found.get(), PlanEvent.CANCEL, reason);
        });
  }

  /** Ends one task that has not ended; {@code entry} with it. What needs it fails. */
  public boolean cancelTask(String taskId, String reason, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> task = TaskRows.task(tx.sql(), taskId);
          if (task.isEmpty() || !changes.move(tx, task.get(), TaskEvent.CANCEL, reason)) {
            return false;
          }
          if (task.get().state() == TaskState.IN_PROGRESS) {
            changes.close(tx, task.get(), FailureCode.CANCELLED.name(), reason);
          }
          audit.insert(tx, entry);
          changes.settle(tx, task.get().planId());
          return true;
        });
  }

  /** Plans that have ended and whose chat thread was not told, the oldest first. */
  public List<Plan> untold(Instant now, int limit) throws StoreException {
    List<Untold> found =
        engine.read(
            sql ->
                sql.list(
                    row -> new Untold(row.getString(2), TaskRows.plan(row)),
                    TaskRows.PLANS
                        + "where told = 0 and ended_at > 0 and tell_from <= ?"
                        + " order by tell_from limit ?",
                    Timestamps.of(now),
                    limit));
    List<Plan> whole = new ArrayList<>();
    for (Untold one : found) {
      if (one.plan().isPresent()) {
        whole.add(one.plan().get());
      } else {
        told(one.id()); // nobody can be told of it, and others wait behind it
      }
    }
    return whole;
  }

  private record Untold(String id, Optional<Plan> plan) {}

  /**
   * Makes the end of a plan an event of its thread, in one transaction with what is noted of it.
   */
  public boolean tell(Plan plan, NewEvent event) throws StoreException {
    return inbox.appendWith(
        tx ->
            tx.sql()
                .first(
                    row -> row.getInt(1),
                    "select 1 from tasks_plans where id = ? and told = 0",
                    plan.id())
                .isPresent(),
        event,
        (tx, made) ->
            tx.sql()
                .update(
                    "update tasks_plans set told = 1, told_event = ? where id = ?",
                    made.id(),
                    plan.id()));
  }

  /** Notes that the end was told to whom waited for it. */
  public void told(String planId) throws StoreException {
    engine.call(
        tx ->
            tx.sql()
                .update("update tasks_plans set told = 1 where id = ? and ended_at > 0", planId));
  }

  /** Nobody waits for its end any more: its chat thread is to be told. */
  public void tellThread(String planId) throws StoreException {
    engine.call(
        tx ->
            tx.sql()
                .update(
                    "update tasks_plans set tell_from = min(tell_from, ?) where id = ?",
                    Timestamps.of(time.now()),
                    planId));
  }

  /** Who is behind the event that told of a plan's end; empty for any other event. */
  public Optional<String> personBehind(String eventId) {
    return engine.read(
        sql ->
            sql.first(
                row -> row.getString(1),
                "select person from tasks_plans where told_event = ? and told_event <> ''",
                eventId));
  }

  /** Forgets the oldest ended plans beyond what may stay; called now and then. */
  public void forgetEnded() throws StoreException {
    boolean more = true;
    while (more) {
      more = forgetSome() == FORGET_AT_ONCE;
    }
  }

  private int forgetSome() throws StoreException {
    List<String> old =
        engine.read(
            sql ->
                sql.list(
                    row -> row.getString(1),
                    "select id from tasks_plans where ended_at > 0 and told = 1"
                        + " order by ended_at desc limit ? offset ?",
                    FORGET_AT_ONCE,
                    ENDED_MAX));
    if (old.isEmpty()) {
      return 0;
    }
    return engine.call(
        tx -> {
          for (String id : old) {
            int letters =
                tx.sql()
                    .update("update tasks_tasks set letter = 0 where letter = 1 and plan = ?", id);
            tx.count(TaskLetters.COUNTER, -letters);
            tx.sql()
                .update(
                    "delete from tasks_attempts where task in"
                        + " (select id from tasks_tasks where plan = ?)",
                    id);
            tx.sql().update("delete from tasks_inputs where plan = ?", id);
            tx.sql().update("delete from tasks_tasks where plan = ?", id);
            tx.sql().update("delete from tasks_moves where plan = ?", id);
            tx.sql().update("delete from tasks_plans where id = ?", id);
          }
          return old.size();
        });
  }
}
