package dev.holdfast.tasks.ledger;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.Ids;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.FailureLadder;
import dev.holdfast.tasks.rules.PlanEvent;
import dev.holdfast.tasks.rules.PlanMoves;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskEvent;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskMoves;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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

  private static final String DAMAGED = "its row is damaged";
  private static final int REASON_MAX = 500;
  private static final int FORGET_AT_ONCE = 500;

  private final Engine engine;
  private final Inbox inbox;
  private final Audit audit;
  private final Time time;
  private final Ids ids;
  private final AgentRecords agents;
  private volatile Consumer<PlanMoved> moved = _ -> {};

  private PlanLedger(Engine engine, Inbox inbox, Audit audit, Time time) {
    this.engine = engine;
    this.inbox = inbox;
    this.audit = audit;
    this.time = time;
    this.ids = new Ids(time);
    this.agents = new AgentRecords(engine, audit);
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

  /**
   * Hears of each move after its commit, in the order of the commits, on the writer's thread: hand
   * over and return.
   */
  public void onMoved(Consumer<PlanMoved> listener) {
    moved = listener;
  }

  /**
   * Writes a plan down, ready to run. A key that is known gets the plan that it made.
   *
   * @param openMax how many tasks may be open
   * @throws StoreException OVERLOADED when too many are
   */
  public Plan make(NewPlan wanted, int openMax) throws StoreException {
    return engine.call(tx -> insert(tx, wanted, openMax));
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
          Optional<Plan> made = byKey(tx, wanted.key());
          if (made.isPresent()) {
            return made.get();
          }
          Plan plan = insert(tx, wanted, openMax);
          for (Task task : TaskRows.tasksOf(tx.sql(), plan.id())) {
            if (task.step().name().equals(step)) {
              boolean _ = giveUp(tx, task, failure);
            } else if (!plan.state().isTerminal()) {
              boolean _ = move(tx, task, TaskEvent.FAIL, "the plan was refused");
            }
          }
          settle(tx, plan.id());
          return planOf(tx.sql(), plan.id());
        });
  }

  private static Optional<Plan> byKey(Transaction tx, String key)
      throws SQLException, StoreException {
    Optional<Optional<Plan>> found =
        tx.sql().first(TaskRows::plan, TaskRows.PLANS + "where key = ?", key);
    if (found.isPresent() && found.get().isEmpty()) {
      throw StoreException.overloaded("the plan of this key is damaged; use another key", 60);
    }
    return found.flatMap(plan -> plan);
  }

  private Plan insert(Transaction tx, NewPlan wanted, int openMax)
      throws SQLException, StoreException {
    Optional<Plan> made = byKey(tx, wanted.key());
    if (made.isPresent()) {
      return made.get();
    }
    long open = tx.counted(OPEN);
    if (open + wanted.steps().size() > openMax) {
      throw StoreException.overloaded(
          "%d tasks are open, and no more than %d may be; try again later".formatted(open, openMax),
          10);
    }
    String id = ids.next();
    PlanOrigin origin = wanted.origin();
    long now = Timestamps.of(time.now());
    tx.sql()
        .update(
            "insert into tasks_plans (id, key, goal, priority, thread_id, event, person, state,"
                + " reason, made_at, ended_at, tell_from, told, told_event, crc)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?, '', ?, 0, ?, ?, '', ?)",
            id,
            wanted.key(),
            wanted.goal(),
            wanted.priority(),
            origin.threadId(),
            origin.eventId(),
            origin.person(),
            PlanState.DRAFT.name(),
            now,
            Timestamps.of(wanted.tellFrom()),
            origin.threadId().isEmpty() ? 1 : 0,
            TaskRows.crc(
                id,
                wanted.key(),
                wanted.goal(),
                origin.threadId(),
                origin.eventId(),
                origin.person()));
    note(tx, id, "", "", PlanState.DRAFT.name(), "");
    int position = 0;
    for (Step step : wanted.steps()) {
      insert(tx, id, position++, step, wanted.priority(), now);
    }
    tx.count(OPEN, wanted.steps().size());
    Plan plan = planOf(tx.sql(), id);
    boolean _ = move(tx, plan, PlanEvent.ACCEPT, "");
    return planOf(tx.sql(), id);
  }

  private void insert(
      Transaction tx, String planId, int position, Step step, int priority, long now)
      throws SQLException {
    String id = ids.next();
    tx.sql()
        .update(
            "insert into tasks_tasks (id, plan, position, name, first_agent, action, payload,"
                + " needs, priority, crc, agent, state, reason, attempts, agent_attempts,"
                + " reassigns, tried, open_needs, due_at, epoch, repeatable, lease_until,"
                + " output, code, made_at, ended_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                + " '', 0, 0, 0, '', ?, ?, 0, 0, 0, '', '', ?, 0)",
            id,
            planId,
            position,
            step.name(),
            step.agent(),
            step.action(),
            step.payload(),
            TaskRows.joined(step.needs()),
            priority,
            TaskRows.crc(id, planId, step),
            step.agent(),
            TaskState.QUEUED.name(),
            step.needs().size(),
            now,
            now);
    note(tx, planId, id, "", TaskState.QUEUED.name(), "");
  }

  private static Plan planOf(Statements sql, String id) throws SQLException {
    return sql.first(TaskRows::plan, TaskRows.PLANS + "where id = ?", id)
        .flatMap(plan -> plan)
        .orElseThrow(() -> new IllegalStateException("plan " + id + " is damaged"));
  }

  private static Optional<Plan> wholePlan(Transaction tx, String id) throws SQLException {
    return tx.sql()
        .first(TaskRows::plan, TaskRows.PLANS + "where id = ?", id)
        .flatMap(plan -> plan);
  }

  public Optional<Plan> find(String id) {
    return engine
        .read(sql -> sql.first(TaskRows::plan, TaskRows.PLANS + "where id = ?", id))
        .flatMap(plan -> plan);
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
   * @param onlyOpen without those that have ended
   * @param before the number of the last one of the page before; {@link Long#MAX_VALUE} to begin
   */
  public List<Plan> list(
      ThreadReader reader, String threadId, boolean onlyOpen, long before, int limit) {
    String where =
        (threadId.isEmpty() ? "where +thread_id >= ?" : "where thread_id = ?")
            + (onlyOpen ? " and ended_at = 0" : "")
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

  /** Oldest first. */
  public List<TaskAttempt> attemptsOf(String taskId) {
    return engine.read(
        sql ->
            sql.list(
                row ->
                    new TaskAttempt(
                        row.getInt(1),
                        row.getString(2),
                        Instant.ofEpochMilli(row.getLong(3)),
                        TaskRows.time(row.getLong(4)),
                        row.getString(5),
                        row.getString(6)),
                "select number, agent, began_at, ended_at, code, message from tasks_attempts"
                    + " where task = ? order by number",
                taskId));
  }

  /** Oldest first. */
  public List<PlanMove> movesOf(String planId) {
    return engine.read(
        sql ->
            sql.list(
                row ->
                    new PlanMove(
                        Instant.ofEpochMilli(row.getLong(1)),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5)),
                "select at, task, before, after, reason from tasks_moves where plan = ?"
                    + " order by no",
                planId));
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
   */
  public List<Task> ready(Instant now, Collection<String> busy, int limit) throws StoreException {
    return whole(
        engine.read(
            sql ->
                sql.list(
                    TaskRows::task,
                    TaskRows.TASKS
                        + "where state in ('QUEUED', 'RETRIED') and open_needs = 0 and due_at <= ?"
                        + " and agent not in (select value from json_each(?))"
                        + " order by priority desc, due_at, no limit ?",
                    Timestamps.of(now),
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
          Optional<Plan> plan = wholePlan(tx, found.get().planId());
          if (plan.isEmpty()) {
            buryPlan(tx, found.get().planId());
            return Optional.empty();
          }
          if (!move(tx, found.get(), TaskEvent.DISPATCH, "")) {
            return Optional.empty();
          }
          Task task = found.get();
          tx.sql()
              .update(
                  "update tasks_tasks set epoch = epoch + 1, lease_until = ? where id = ?",
                  Timestamps.of(leaseUntil),
                  taskId);
          if (plan.get().state() == PlanState.PENDING) {
            boolean _ = move(tx, plan.get(), PlanEvent.START, "");
          }
          return Optional.of(new Task.Lease(taskId, task.epoch() + 1));
        });
  }

  /**
   * Notes that the agent is about to be called; from here on the attempt counts.
   *
   * @param repeatable whether the attempt may be made again although it may have been done
   */
  public boolean begin(Task.Lease lease, boolean repeatable) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = leased(tx, lease);
          if (found.isEmpty() || !move(tx, found.get(), TaskEvent.BEGIN, "")) {
            return false;
          }
          Task task = found.get();
          tx.sql()
              .update(
                  "update tasks_tasks set attempts = attempts + 1,"
                      + " agent_attempts = agent_attempts + 1, repeatable = ? where id = ?",
                  repeatable ? 1 : 0,
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

  /** Ends an attempt and writes down what follows, and what it says of the agent. */
  public boolean end(Task.Lease lease, AttemptEnd end, CircuitRules circuit) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = leased(tx, lease);
          return found.isPresent() && end(tx, found.get(), end, circuit);
        });
  }

  private boolean end(Transaction tx, Task task, AttemptEnd end, CircuitRules circuit)
      throws SQLException {
    return switch (end) {
      case AttemptEnd.Succeeded(String output) -> {
        boolean ended = move(tx, task, TaskEvent.SUCCEED, "");
        if (ended) {
          tx.sql().update("update tasks_tasks set output = ? where id = ?", output, task.id());
          close(tx, task, "", "");
          AgentHealth health = AgentRecords.stored(tx.sql(), task.agent());
          agents.keep(tx, health.succeeded(time.now()));
          settle(tx, task.planId());
        }
        yield ended;
      }
      case AttemptEnd.Again(TaskFailure failure, Instant dueAt) -> {
        boolean ended = move(tx, task, TaskEvent.RETRY, failure.message());
        if (ended) {
          tx.sql()
              .update(
                  "update tasks_tasks set due_at = ?, code = ? where id = ?",
                  Timestamps.of(dueAt),
                  failure.code().name(),
                  task.id());
          close(tx, task, failure.code().name(), failure.message());
        }
        yield ended;
      }
      case AttemptEnd.Elsewhere(TaskFailure failure, String agent) -> {
        boolean ended = move(tx, task, TaskEvent.RETRY, failure.message() + "; given to " + agent);
        if (ended) {
          elsewhere(tx, task, agent, failure);
          close(tx, task, failure.code().name(), failure.message());
          blame(tx, task, failure, circuit);
        }
        yield ended;
      }
      case AttemptEnd.GivenUp(TaskFailure failure) -> {
        boolean ended = move(tx, task, TaskEvent.GIVE_UP, failure.message());
        if (ended) {
          tx.sql()
              .update(
                  "update tasks_tasks set code = ? where id = ?", failure.code().name(), task.id());
          close(tx, task, failure.code().name(), failure.message());
          blame(tx, task, failure, circuit);
          settle(tx, task.planId());
        }
        yield ended;
      }
    };
  }

  private void elsewhere(Transaction tx, Task task, String agent, TaskFailure failure)
      throws SQLException {
    Set<String> tried = new HashSet<>(task.tried());
    tried.add(task.agent());
    tx.sql()
        .update(
            "update tasks_tasks set agent = ?, agent_attempts = 0, reassigns = reassigns + 1,"
                + " tried = ?, due_at = ?, code = ? where id = ?",
            agent,
            TaskRows.joined(tried),
            Timestamps.of(time.now()),
            failure.code().name(),
            task.id());
  }

  private void blame(Transaction tx, Task task, TaskFailure failure, CircuitRules circuit)
      throws SQLException {
    if (failure.countsAgainstAgent()) {
      agents.keep(tx, AgentRecords.stored(tx.sql(), task.agent()).failed(time.now(), circuit));
    }
  }

  private void close(Transaction tx, Task task, String code, String message) throws SQLException {
    tx.sql()
        .update(
            "update tasks_attempts set ended_at = ?, code = ?, message = ?"
                + " where task = ? and number = ?",
            Timestamps.of(time.now()),
            code,
            cut(message),
            task.id(),
            task.attempts());
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
          if (found.isEmpty() || !isWaiting(found.get())) {
            return false;
          }
          Task task = found.get();
          elsewhere(tx, task, agent, failure);
          note(
              tx,
              task.planId(),
              task.id(),
              task.state().name(),
              task.state().name(),
              failure.message() + "; given to " + agent);
          return true;
        });
  }

  private static boolean isWaiting(Task task) {
    return task.state() == TaskState.QUEUED || task.state() == TaskState.RETRIED;
  }

  /** Gives up a task that waits: no agent will take it. */
  public boolean giveUp(String taskId, TaskFailure failure) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Task> found = TaskRows.task(tx.sql(), taskId);
          boolean given = found.isPresent() && giveUp(tx, found.get(), failure);
          if (given) {
            settle(tx, found.get().planId());
          }
          return given;
        });
  }

  private boolean giveUp(Transaction tx, Task task, TaskFailure failure) throws SQLException {
    boolean given = isWaiting(task) && move(tx, task, TaskEvent.GIVE_UP, failure.message());
    if (given) {
      tx.sql()
          .update("update tasks_tasks set code = ? where id = ?", failure.code().name(), task.id());
    }
    return given;
  }

  private void bury(String taskId) throws StoreException {
    boolean _ =
        engine.call(
            tx -> {
              boolean buried = bury(tx, taskId);
              Optional<String> plan =
                  tx.sql()
                      .first(
                          row -> row.getString(1),
                          "select plan from tasks_tasks where id = ?",
                          taskId);
              if (buried && plan.isPresent()) {
                settle(tx, plan.get());
              }
              return buried;
            });
  }

  private boolean bury(Transaction tx, String taskId) throws SQLException {
    Optional<String> plan =
        tx.sql()
            .first(
                row -> row.getString(1),
                "select plan from tasks_tasks where id = ? and ended_at = 0",
                taskId);
    if (plan.isEmpty()) {
      return false;
    }
    tx.sql()
        .update(
            "update tasks_tasks set state = 'DEAD_LETTERED', ended_at = ?, lease_until = 0,"
                + " reason = ?, code = 'INTERNAL' where id = ?",
            Timestamps.of(time.now()),
            DAMAGED,
            taskId);
    tx.count(OPEN, -1);
    note(tx, plan.get(), taskId, "", TaskState.DEAD_LETTERED.name(), DAMAGED);
    return true;
  }

  /** Ends a plan whose row is damaged, so that nobody can be told of it, and all its tasks. */
  private void buryPlan(Transaction tx, String planId) throws SQLException {
    for (String task :
        tx.sql()
            .list(
                row -> row.getString(1),
                "select id from tasks_tasks where plan = ? and ended_at = 0",
                planId)) {
      tx.sql()
          .update(
              "update tasks_attempts set ended_at = ?, code = ?, message = ?"
                  + " where task = ? and ended_at = 0",
              Timestamps.of(time.now()),
              TaskAttempt.INTERRUPTED,
              DAMAGED,
              task);
      boolean _ = bury(tx, task);
    }
    int ended =
        tx.sql()
            .update(
                "update tasks_plans set state = 'FAILED', reason = ?, ended_at = ?, told = 1"
                    + " where id = ? and ended_at = 0",
                DAMAGED,
                Timestamps.of(time.now()),
                planId);
    if (ended > 0) {
      note(tx, planId, "", "", PlanState.FAILED.name(), DAMAGED);
    }
  }

  /** Ends the tasks of a plan whose rows are damaged: nothing else would ever find them. */
  private void buryDamaged(Transaction tx, String planId) throws SQLException {
    for (TaskRows.Found one :
        tx.sql().list(TaskRows::task, TaskRows.TASKS + "where plan = ? and ended_at = 0", planId)) {
      if (one.task() == null) {
        boolean _ = bury(tx, one.id());
      }
    }
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
                settle(tx, plan);
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
          Optional<Task> found = leased(tx, lease);
          if (found.isEmpty()) {
            return false;
          }
          Task task = found.get();
          boolean begun = task.state() == TaskState.IN_PROGRESS;
          boolean doubtful = begun && !task.repeatable();
          boolean givesUp = doubtful || (begun && task.attempts() >= FailureLadder.ATTEMPTS_MAX);
          String why =
              doubtful ? reason + "; its outcome is unknown, so it does not run again" : reason;
          if (!move(tx, task, givesUp ? TaskEvent.GIVE_UP : TaskEvent.RELEASE, why)) {
            return false;
          }
          if (begun) {
            close(tx, task, TaskAttempt.INTERRUPTED, reason);
          }
          if (givesUp) {
            tx.sql()
                .update(
                    "update tasks_tasks set code = ? where id = ?",
                    TaskAttempt.INTERRUPTED,
                    task.id());
            settle(tx, task.planId());
          }
          return true;
        });
  }

  /**
   * Ends a plan and all its tasks that have not ended; {@code entry} with it. The leases of those
   * that run are worth nothing from then on.
   */
  public boolean cancel(String planId, String reason, AuditEntry entry) throws StoreException {
    return engine.call(
        tx -> {
          Optional<Plan> found =
              tx.sql()
                  .first(TaskRows::plan, TaskRows.PLANS + "where id = ?", planId)
                  .flatMap(plan -> plan);
          if (found.isEmpty() || found.get().state().isTerminal()) {
            return false;
          }
          buryDamaged(tx, planId);
          for (Task task : TaskRows.tasksOf(tx.sql(), planId)) {
            boolean _ = move(tx, task, TaskEvent.CANCEL, reason);
            if (task.state() == TaskState.IN_PROGRESS) {
              close(tx, task, FailureCode.CANCELLED.name(), reason);
            }
          }
          audit.insert(tx, entry);
          return move(tx, found.get(), PlanEvent.CANCEL, reason);
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
            tx.sql()
                .update(
                    "delete from tasks_attempts where task in"
                        + " (select id from tasks_tasks where plan = ?)",
                    id);
            tx.sql().update("delete from tasks_tasks where plan = ?", id);
            tx.sql().update("delete from tasks_moves where plan = ?", id);
            tx.sql().update("delete from tasks_plans where id = ?", id);
          }
          return old.size();
        });
  }

  private static Optional<Task> leased(Transaction tx, Task.Lease lease) throws SQLException {
    return TaskRows.task(tx.sql(), lease.taskId())
        .filter(task -> task.epoch() == lease.epoch() && task.state().isLeased());
  }

  /** What the end of a task means for the others of its plan, and for the plan. */
  private void settle(Transaction tx, String planId) throws SQLException {
    Optional<Plan> plan = wholePlan(tx, planId);
    if (plan.isEmpty()) {
      buryPlan(tx, planId);
      return;
    }
    buryDamaged(tx, planId);
    List<Task> tasks = TaskRows.tasksOf(tx.sql(), planId);
    boolean again = true;
    while (again) {
      again = false;
      Set<String> lost = names(tasks, state -> state.isTerminal() && state != TaskState.SUCCEEDED);
      Set<String> whole = names(tasks, _ -> true);
      for (Task task : tasks) {
        Optional<String> missing =
            task.step().needs().stream()
                .filter(need -> lost.contains(need) || !whole.contains(need))
                .sorted()
                .findFirst();
        if (isWaiting(task) && missing.isPresent()) {
          again |=
              move(
                  tx, task, TaskEvent.FAIL, "step \"%s\" did not succeed".formatted(missing.get()));
        }
      }
      if (again) {
        tasks = TaskRows.tasksOf(tx.sql(), planId);
      }
    }
    Set<String> done = names(tasks, state -> state == TaskState.SUCCEEDED);
    for (Task task : tasks) {
      if (isWaiting(task) && !task.step().needs().isEmpty()) {
        long open = task.step().needs().stream().filter(need -> !done.contains(need)).count();
        tx.sql()
            .update(
                "update tasks_tasks set open_needs = ?, due_at = max(due_at, ?) where id = ?"
                    + " and open_needs <> ?",
                open,
                Timestamps.of(time.now()),
                task.id(),
                open);
      }
    }
    Optional<PlanEvent> ending = PlanMoves.ending(tasks.stream().map(Task::outcome).toList());
    if (ending.isPresent() && !plan.get().state().isTerminal()) {
      boolean _ = move(tx, plan.get(), ending.get(), ending(tasks));
    }
  }

  private static Set<String> names(
      List<Task> tasks, java.util.function.Predicate<TaskState> wanted) {
    Set<String> names = new HashSet<>();
    tasks.stream()
        .filter(task -> wanted.test(task.state()))
        .forEach(task -> names.add(task.step().name()));
    return names;
  }

  /** What is missing, in a sentence; empty when nothing is. */
  private static String ending(List<Task> tasks) {
    List<Task> lost =
        tasks.stream().filter(task -> task.state() == TaskState.DEAD_LETTERED).toList();
    if (lost.isEmpty()) {
      return "";
    }
    Task first = lost.getFirst();
    String text = "step \"%s\" failed: %s".formatted(first.step().name(), first.reason());
    return lost.size() == 1 ? text : text + " (and " + (lost.size() - 1) + " more)";
  }

  private boolean move(Transaction tx, Task task, TaskEvent event, String reason)
      throws SQLException {
    @Nullable TaskState next = TaskMoves.next(task.state(), event).orElse(null);
    if (next == null) {
      return false;
    }
    boolean leaves = task.state().isLeased() && !next.isLeased();
    tx.sql()
        .update(
            "update tasks_tasks set state = ?, reason = ?, ended_at = ?,"
                + " lease_until = case when ? then 0 else lease_until end where id = ?",
            next.name(),
            cut(reason),
            next.isTerminal() ? Timestamps.of(time.now()) : TaskRows.NEVER,
            leaves ? 1 : 0,
            task.id());
    if (next.isTerminal()) {
      tx.count(OPEN, -1);
    }
    note(tx, task.planId(), task.id(), task.state().name(), next.name(), reason);
    String thread = threadOf(tx, task.planId());
    PlanMoved news =
        new PlanMoved(task.planId(), thread, task.id(), task.step().name(), next.name());
    tx.afterCommit(() -> moved.accept(news));
    return true;
  }

  private static String threadOf(Transaction tx, String planId) throws SQLException {
    return tx.sql()
        .first(row -> row.getString(1), "select thread_id from tasks_plans where id = ?", planId)
        .orElse("");
  }

  private boolean move(Transaction tx, Plan plan, PlanEvent event, String reason)
      throws SQLException {
    @Nullable PlanState next = PlanMoves.next(plan.state(), event).orElse(null);
    if (next == null) {
      return false;
    }
    tx.sql()
        .update(
            "update tasks_plans set state = ?, reason = ?, ended_at = ? where id = ?",
            next.name(),
            cut(reason),
            next.isTerminal() ? Timestamps.of(time.now()) : TaskRows.NEVER,
            plan.id());
    note(tx, plan.id(), "", plan.state().name(), next.name(), reason);
    PlanMoved news = new PlanMoved(plan.id(), plan.origin().threadId(), "", "", next.name());
    tx.afterCommit(() -> moved.accept(news));
    return true;
  }

  private void note(
      Transaction tx, String planId, String taskId, String before, String after, String reason)
      throws SQLException {
    tx.sql()
        .update(
            "insert into tasks_moves (plan, task, at, before, after, reason)"
                + " values (?, ?, ?, ?, ?, ?)",
            planId,
            taskId,
            Timestamps.of(time.now()),
            before,
            after,
            cut(reason));
  }

  private static String cut(String text) {
    return text.length() <= REASON_MAX ? text : text.substring(0, REASON_MAX);
  }
}
