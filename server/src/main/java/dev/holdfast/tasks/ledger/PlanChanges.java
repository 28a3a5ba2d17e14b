package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.Ids;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.rules.CircuitRules;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.PlanEvent;
import dev.holdfast.tasks.rules.PlanMoves;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskEvent;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskMoves;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What changes in plans and tasks, within a transaction: moves with what follows on them.
 * Thread-safe.
 */
final class PlanChanges {
  private static final String DAMAGED = "its row is damaged";
  private static final int REASON_MAX = 500;

  private final Time time;
  private final Ids ids;
  private final AgentRecords agents;
  private volatile Consumer<PlanMoved> moved = _ -> {};
  private volatile MoveJournal journal = (_, _) -> {};
  private volatile BooleanSupplier reviews = () -> false;

  PlanChanges(AgentRecords agents, Time time) {
    this.agents = agents;
    this.time = time;
    ids = new Ids(time);
  }

  /** Whether models are asked what a failed step means for the goal. */
  void reviewWhen(BooleanSupplier reviews) {
    this.reviews = reviews;
  }

  void onMoved(Consumer<PlanMoved> listener) {
    moved = listener;
  }

  void journal(MoveJournal moves) {
    journal = moves;
  }

  static Optional<Plan> byKey(Transaction tx, String key) throws SQLException, StoreException {
    Optional<Optional<Plan>> found =
        tx.sql().first(TaskRows::plan, TaskRows.PLANS + "where key = ?", key);
    if (found.isPresent() && found.get().isEmpty()) {
      throw StoreException.overloaded("the plan of this key is damaged; use another key", 60);
    }
    return found.flatMap(plan -> plan);
  }

  Plan insert(Transaction tx, NewPlan wanted, int openMax) throws SQLException, StoreException {
    Optional<Plan> made = byKey(tx, wanted.key());
    if (made.isPresent()) {
      return made.get();
    }
    checkRoom(tx, Math.max(1, wanted.steps().size()), openMax);
    String id = ids.next();
    PlanOrigin origin = wanted.origin();
    long now = Timestamps.of(time.now());
    tx.sql()
        .update(
            "insert into tasks_plans (id, key, goal, priority, thread_id, event, person, state,"
                + " reason, made_at, ended_at, tell_from, told, told_event, supervised, crc,"
                + " whose, turn) values (?, ?, ?, ?, ?, ?, ?, ?, '', ?, 0, ?, ?, '', ?, ?, ?, "
                + TaskRows.NEXT_TURN
                + ")",
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
            wanted.supervised() ? 1 : 0,
            TaskRows.crc(
                id,
                wanted.key(),
                wanted.goal(),
                origin.threadId(),
                origin.eventId(),
                origin.person()),
            whose(origin),
            whose(origin));
    note(tx, id, "", "", PlanState.DRAFT.name(), "");
    Plan plan = planOf(tx.sql(), id);
    add(tx, plan, wanted.steps());
    if (!wanted.steps().isEmpty()) {
      boolean _ = move(tx, plan, PlanEvent.ACCEPT, "");
    }
    return planOf(tx.sql(), id);
  }

  /** Of whom a plan is, where people take turns: of a conversation, else of a person. */
  private static String whose(PlanOrigin origin) {
    return origin.threadId().isEmpty() ? "person:" + origin.person() : origin.threadId();
  }

  private static void checkRoom(Transaction tx, int wanted, int openMax) throws StoreException {
    long open = tx.counted(PlanLedger.OPEN);
    if (open + wanted > openMax) {
      throw StoreException.overloaded(
          "%d tasks are open, and %d more would exceed tasks.max_open, which is %d; try again later"
              .formatted(open, wanted, openMax),
          10);
    }
  }

  /**
   * Adds steps to a plan, of the round that it is in.
   *
   * @throws StoreException OVERLOADED when too many tasks are open
   */
  void add(Transaction tx, Plan plan, List<Step> steps, int openMax)
      throws SQLException, StoreException {
    checkRoom(tx, steps.size(), openMax);
    add(tx, plan, steps);
  }

  private void add(Transaction tx, Plan plan, List<Step> steps) throws SQLException {
    int position = TaskRows.tasksOf(tx.sql(), plan.id()).size();
    for (Step step : steps) {
      insert(tx, plan.id(), position++, step, plan.priority(), plan.replans());
    }
    tx.count(PlanLedger.OPEN, steps.size());
  }

  /** Takes a step as done that an earlier plan has done. */
  void takeOver(Transaction tx, Task task, String output, String from) throws SQLException {
    tx.sql()
        .update(
            "update tasks_tasks set state = 'SUCCEEDED', ended_at = ?, output = ?, reason = ?"
                + " where id = ?",
            Timestamps.of(time.now()),
            output,
            "done by plan " + from,
            task.id());
    tx.count(PlanLedger.OPEN, -1);
    note(
        tx,
        task.planId(),
        task.id(),
        task.state().name(),
        TaskState.SUCCEEDED.name(),
        "done by plan " + from);
  }

  void noteReplan(Transaction tx, Plan plan, String reason) throws SQLException {
    note(tx, plan.id(), "", plan.state().name(), plan.state().name(), "replanned: " + reason);
  }

  void insert(Transaction tx, String planId, int position, Step step, int priority, int round)
      throws SQLException {
    long now = Timestamps.of(time.now());
    String id = ids.next();
    tx.sql()
        .update(
            "insert into tasks_tasks (id, plan, position, name, first_agent, action, payload,"
                + " needs, priority, crc, agent, state, reason, attempts, agent_attempts,"
                + " reassigns, tried, open_needs, due_at, epoch, repeatable, lease_until,"
                + " output, code, made_at, ended_at, round, turn) values (?, ?, ?, ?, ?, ?, ?, ?,"
                + " ?, ?, ?, ?, '', 0, 0, 0, '', ?, ?, 0, 0, 0, '', '', ?, 0, ?,"
                + " (select turn from tasks_plans where id = ?))",
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
            now,
            round,
            planId);
    note(tx, planId, id, "", TaskState.QUEUED.name(), "");
  }

  static Plan planOf(Statements sql, String id) throws SQLException {
    return sql.first(TaskRows::plan, TaskRows.PLANS + "where id = ?", id)
        .flatMap(plan -> plan)
        .orElseThrow(() -> new IllegalStateException("plan " + id + " is damaged"));
  }

  static Optional<Plan> wholePlan(Transaction tx, String id) throws SQLException {
    return tx.sql()
        .first(TaskRows::plan, TaskRows.PLANS + "where id = ?", id)
        .flatMap(plan -> plan);
  }

  boolean end(Transaction tx, Task task, AttemptEnd end, CircuitRules circuit) throws SQLException {
    return switch (end) {
      case AttemptEnd.Succeeded(String output) -> {
        boolean ended = move(tx, task, TaskEvent.SUCCEED, "");
        if (ended) {
          tx.sql()
              .update(
                  "update tasks_tasks set output = ?, code = '' where id = ?", output, task.id());
          close(tx, task, "", "");
          AgentHealth health = AgentRecords.stored(tx.sql(), task.agent());
          agents.keep(tx, health.succeeded(time.now()));
          settle(tx, task.planId());
        }
        yield ended;
      }
      case AttemptEnd.Again(TaskFailure failure, Duration backoff, boolean doubtful) -> {
        boolean ended = move(tx, task, TaskEvent.RETRY, failure.message());
        if (ended) {
          close(tx, task, failure.code().name(), failure.message());
          tx.sql()
              .update(
                  "update tasks_tasks set due_at = ?, code = ?, doubtful = max(doubtful, ?)"
                      + " where id = ?",
                  Timestamps.of(time.now().plus(backoff)),
                  failure.code().name(),
                  doubtful ? 1 : 0,
                  task.id());
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
      case AttemptEnd.Higher(TaskFailure failure, String level) -> {
        boolean ended =
            move(tx, task, TaskEvent.RETRY, failure.message() + "; tried again at level " + level);
        if (ended) {
          tx.sql()
              .update(
                  "update tasks_tasks set level = ?, agent_attempts = 0, due_at = ?, code = ?"
                      + " where id = ?",
                  level,
                  Timestamps.of(time.now()),
                  failure.code().name(),
                  task.id());
          close(tx, task, failure.code().name(), failure.message());
        }
        yield ended;
      }
      case AttemptEnd.Asked(InputQuestion question) -> {
        boolean ended = ask(tx, task, question);
        if (ended) {
          tx.sql()
              .update(
                  "update tasks_tasks set asks = asks + 1, agent_attempts = agent_attempts - 1,"
                      + " doubtful = 0, code = '' where id = ?",
                  task.id());
          close(tx, task, TaskAttempt.ASKED, question.text());
          AgentHealth health = AgentRecords.stored(tx.sql(), task.agent());
          agents.keep(tx, health.succeeded(time.now()));
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

  void elsewhere(Transaction tx, Task task, String agent, TaskFailure failure) throws SQLException {
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

  void blame(Transaction tx, Task task, TaskFailure failure, CircuitRules circuit)
      throws SQLException {
    if (failure.countsAgainstAgent()) {
      agents.keep(tx, AgentRecords.stored(tx.sql(), task.agent()).failed(time.now(), circuit));
    }
  }

  void close(Transaction tx, Task task, String code, String message) throws SQLException {
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

  static boolean isWaiting(Task task) {
    return task.state() == TaskState.QUEUED || task.state() == TaskState.RETRIED;
  }

  boolean giveUp(Transaction tx, Task task, TaskFailure failure) throws SQLException {
    return isWaiting(task) && giveUpNow(tx, task, failure);
  }

  /** As {@link #giveUp} for a task that waits for a person. */
  boolean giveUpAsking(Transaction tx, Task task, TaskFailure failure) throws SQLException {
    return task.state() == TaskState.AWAITING_INPUT && giveUpNow(tx, task, failure);
  }

  private boolean giveUpNow(Transaction tx, Task task, TaskFailure failure) throws SQLException {
    boolean given = move(tx, task, TaskEvent.GIVE_UP, failure.message());
    if (given) {
      tx.sql()
          .update("update tasks_tasks set code = ? where id = ?", failure.code().name(), task.id());
    }
    return given;
  }

  boolean bury(Transaction tx, String taskId) throws SQLException {
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
    tx.count(PlanLedger.OPEN, -1);
    note(tx, plan.get(), taskId, "", TaskState.DEAD_LETTERED.name(), DAMAGED);
    return true;
  }

  /** Ends a plan whose row is damaged, so that nobody can be told of it, and all its tasks. */
  void buryPlan(Transaction tx, String planId) throws SQLException {
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
  void buryDamaged(Transaction tx, String planId) throws SQLException {
    for (TaskRows.Found one :
        tx.sql().list(TaskRows::task, TaskRows.TASKS + "where plan = ? and ended_at = 0", planId)) {
      if (one.task() == null) {
        boolean _ = bury(tx, one.id());
      }
    }
  }

  static Optional<Task> leased(Transaction tx, Task.Lease lease) throws SQLException {
    return TaskRows.task(tx.sql(), lease.taskId())
        .filter(task -> task.epoch() == lease.epoch() && task.state().isLeased());
  }

  /** What the end of a task means for the others of its plan, and for the plan. */
  void settle(Transaction tx, String planId) throws SQLException {
    Optional<Plan> plan = wholePlan(tx, planId);
    if (plan.isEmpty()) {
      buryPlan(tx, planId);
      return;
    }
    if (plan.get().state() == PlanState.DRAFT) {
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
    if (plan.get().state().isTerminal() || plan.get().reviewing()) {
      return;
    }
    List<Task> counted = counted(tasks, plan.get().replans());
    boolean over = counted.stream().allMatch(task -> task.state().isTerminal());
    if (over && isReviewed(plan.get(), counted)) {
      tx.sql().update("update tasks_plans set reviewing = 1 where id = ?", planId);
    } else if (over) {
      boolean _ = conclude(tx, planId);
    }
  }

  /** Asks a person for something that a task needs. */
  boolean ask(Transaction tx, Task task, InputQuestion question) throws SQLException {
    boolean asked = move(tx, task, TaskEvent.ASK, "waits for an answer: " + question.text());
    if (asked) {
      boolean inThread = !threadOf(tx, task.planId()).isEmpty();
      InputRows.forget(tx, task.id());
      InputRows.insert(tx, ids.next(), task, question, inThread, time.now());
    }
    return asked;
  }

  /** Ends a plan as its steps say, if they have ended. */
  boolean conclude(Transaction tx, String planId) throws SQLException {
    Plan plan = planOf(tx.sql(), planId);
    List<Task> counted = counted(TaskRows.tasksOf(tx.sql(), planId), plan.replans());
    Optional<PlanEvent> ending = PlanMoves.ending(counted.stream().map(Task::outcome).toList());
    return ending.isPresent() && move(tx, plan, ending.get(), ending(counted));
  }

  /** Without those that failed before the newest replan: others stand in for them. */
  static List<Task> counted(List<Task> tasks, int replans) {
    return tasks.stream()
        .filter(task -> task.round() == replans || task.state() == TaskState.SUCCEEDED)
        .toList();
  }

  private boolean isReviewed(Plan plan, List<Task> tasks) {
    return plan.state() == PlanState.RUNNING
        && plan.replans() < PlanLedger.REPLANS_MAX
        && tasks.stream().anyMatch(task -> task.state() == TaskState.DEAD_LETTERED)
        && reviews.getAsBoolean();
  }

  static Set<String> names(List<Task> tasks, java.util.function.Predicate<TaskState> wanted) {
    Set<String> names = new HashSet<>();
    tasks.stream()
        .filter(task -> wanted.test(task.state()))
        .forEach(task -> names.add(task.step().name()));
    return names;
  }

  /** What is missing, in a sentence; empty when nothing is. */
  static String ending(List<Task> tasks) {
    List<Task> lost =
        tasks.stream().filter(task -> task.state() == TaskState.DEAD_LETTERED).toList();
    if (lost.isEmpty()) {
      return "";
    }
    Task first = lost.getFirst();
    String text = "step \"%s\" failed: %s".formatted(first.step().name(), first.reason());
    return lost.size() == 1 ? text : text + " (and " + (lost.size() - 1) + " more)";
  }

  boolean move(Transaction tx, Task task, TaskEvent event, String reason) throws SQLException {
    @Nullable TaskState next = TaskMoves.next(task.state(), event).orElse(null);
    if (next == null) {
      return false;
    }
    boolean leaves = task.state().isLeased() && !next.isLeased();
    if (task.state() == TaskState.AWAITING_INPUT || next.isTerminal()) {
      InputRows.close(tx, task.id(), next.isTerminal(), time.now());
    }
    tx.sql()
        .update(
            "update tasks_tasks set state = ?, reason = ?, ended_at = ?,"
                + " lease_until = case when ? then 0 else lease_until end, letter = ? where id = ?",
            next.name(),
            cut(reason),
            next.isTerminal() ? Timestamps.of(time.now()) : TaskRows.NEVER,
            leaves ? 1 : 0,
            next == TaskState.DEAD_LETTERED ? 1 : 0,
            task.id());
    if (next.isTerminal()) {
      tx.count(PlanLedger.OPEN, -1);
    }
    if (next.isTerminal()) {
      tx.sql().update("delete from tasks_talks where task = ?", task.id());
    }
    if (next == TaskState.DEAD_LETTERED) {
      tx.count(TaskLetters.COUNTER, 1);
    }
    note(tx, task.planId(), task.id(), task.state().name(), next.name(), reason);
    String thread = threadOf(tx, task.planId());
    PlanMoved news =
        new PlanMoved(
            task.planId(), thread, task.id(), task.step().name(), task.agent(), next.name());
    journal.write(tx, news);
    tx.afterCommit(() -> moved.accept(news));
    return true;
  }

  static String threadOf(Transaction tx, String planId) throws SQLException {
    return tx.sql()
        .first(row -> row.getString(1), "select thread_id from tasks_plans where id = ?", planId)
        .orElse("");
  }

  boolean move(Transaction tx, Plan plan, PlanEvent event, String reason) throws SQLException {
    @Nullable PlanState next = PlanMoves.next(plan.state(), event).orElse(null);
    if (next == null) {
      return false;
    }
    tx.sql()
        .update(
            "update tasks_plans set state = ?, reason = ?, ended_at = ?, reviewing = 0 where id ="
                + " ?",
            next.name(),
            cut(reason),
            next.isTerminal() ? Timestamps.of(time.now()) : TaskRows.NEVER,
            plan.id());
    note(tx, plan.id(), "", plan.state().name(), next.name(), reason);
    PlanMoved news = new PlanMoved(plan.id(), plan.origin().threadId(), "", "", "", next.name());
    journal.write(tx, news);
    tx.afterCommit(() -> moved.accept(news));
    return true;
  }

  void note(
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

  static String cut(String text) {
    return text.length() <= REASON_MAX ? text : text.substring(0, REASON_MAX);
  }
}
