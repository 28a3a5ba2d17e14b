package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.tasks.rules.PlanState;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tasks.rules.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables and their rows. */
final class TaskRows {
  private static final Logger LOG = LoggerFactory.getLogger(TaskRows.class);

  /** Times of rows that have none yet. */
  static final long NEVER = 0;

  static final Tables TABLES =
      new Tables(
          "tasks",
          List.of(
              """
              create table tasks_plans (
                no integer primary key,
                id text not null unique,
                key text not null unique,
                goal text not null,
                priority integer not null,
                thread_id text not null,
                event text not null,
                person text not null,
                state text not null,
                reason text not null,
                made_at integer not null,
                ended_at integer not null,
                tell_from integer not null,
                told integer not null,
                told_event text not null,
                crc integer not null
              );
              create index tasks_plans_open on tasks_plans (no) where ended_at = 0;
              create index tasks_plans_threads on tasks_plans (thread_id, no);
              create index tasks_plans_ended on tasks_plans (ended_at) where ended_at > 0;
              create index tasks_plans_untold on tasks_plans (tell_from)
                where told = 0 and ended_at > 0;
              create index tasks_plans_events on tasks_plans (told_event) where told_event <> '';
              create table tasks_tasks (
                no integer primary key,
                id text not null unique,
                plan text not null,
                position integer not null,
                name text not null,
                first_agent text not null,
                action text not null,
                payload text not null,
                needs text not null,
                priority integer not null,
                crc integer not null,
                agent text not null,
                state text not null,
                reason text not null,
                attempts integer not null,
                agent_attempts integer not null,
                reassigns integer not null,
                tried text not null,
                open_needs integer not null,
                due_at integer not null,
                epoch integer not null,
                repeatable integer not null,
                lease_until integer not null,
                output text not null,
                code text not null,
                made_at integer not null,
                ended_at integer not null
              );
              create index tasks_tasks_plan on tasks_tasks (plan, position);
              create index tasks_tasks_open on tasks_tasks (plan) where ended_at = 0;
              create index tasks_tasks_ready on tasks_tasks (priority desc, due_at, no, agent)
                where state in ('QUEUED', 'RETRIED') and open_needs = 0;
              create index tasks_tasks_due on tasks_tasks (due_at)
                where state in ('QUEUED', 'RETRIED') and open_needs = 0;
              create index tasks_tasks_leased on tasks_tasks (lease_until)
                where state in ('DISPATCHED', 'IN_PROGRESS');
              create table tasks_attempts (
                task text not null,
                number integer not null,
                agent text not null,
                began_at integer not null,
                ended_at integer not null,
                code text not null,
                message text not null,
                primary key (task, number)
              ) without rowid;
              create table tasks_moves (
                no integer primary key,
                plan text not null,
                task text not null,
                at integer not null,
                before text not null,
                after text not null,
                reason text not null
              );
              create index tasks_moves_plan on tasks_moves (plan, no);
              create table tasks_agents (
                id text primary key,
                health text not null,
                failures integer not null,
                last_failure_at integer not null,
                last_success_at integer not null,
                open_until integer not null
              ) without rowid;
              """,
              """
              alter table tasks_plans add column replans integer not null default 0;
              alter table tasks_plans add column reviewing integer not null default 0;
              alter table tasks_plans add column supervised integer not null default 0;
              alter table tasks_plans add column retry_of text not null default '';
              alter table tasks_tasks add column asks integer not null default 0;
              alter table tasks_tasks add column checkable integer not null default 0;
              alter table tasks_tasks add column doubtful integer not null default 0;
              alter table tasks_tasks add column level text not null default '';
              alter table tasks_tasks add column round integer not null default 0;
              alter table tasks_tasks add column letter integer not null default 0;
              create index tasks_plans_drafts on tasks_plans (no) where state = 'DRAFT';
              create index tasks_plans_reviewing on tasks_plans (no) where reviewing = 1;
              create index tasks_tasks_letters on tasks_tasks (no) where letter = 1;
              create table tasks_talks (
                task text not null,
                number integer not null,
                agent text not null,
                level text not null,
                entry text not null,
                primary key (task, number)
              ) without rowid;
              create table tasks_inputs (
                no integer primary key,
                id text not null unique,
                task text not null,
                plan text not null,
                kind text not null,
                question text not null,
                choices text not null,
                fallback text not null,
                state text not null,
                asked_at integer not null,
                deadline integer not null,
                crc integer not null,
                told integer not null,
                answer text not null,
                answered_by text not null,
                answered_at integer not null
              );
              create unique index tasks_inputs_open on tasks_inputs (task) where answered_at = 0;
              create index tasks_inputs_due on tasks_inputs (deadline) where answered_at = 0;
              create index tasks_inputs_task on tasks_inputs (task, no);
              create index tasks_inputs_untold on tasks_inputs (no)
                where told = 0 and answered_at = 0;
              """,
              """
              create table tasks_reviews (
                agent text primary key,
                at integer not null,
                remedy text not null,
                by_model integer not null,
                reason text not null,
                timeout_secs integer not null,
                max_concurrent integer not null,
                done integer not null
              ) without rowid;
              """,
              """
              drop index tasks_tasks_ready;
              create index tasks_tasks_ready on tasks_tasks (agent, priority desc, due_at, no)
                where state in ('QUEUED', 'RETRIED') and open_needs = 0;
              """,
              """
              alter table tasks_plans add column whose text not null default '';
              alter table tasks_plans add column turn integer not null default 0;
              alter table tasks_tasks add column turn integer not null default 0;
              create index tasks_plans_whose on tasks_plans (whose, turn) where ended_at = 0;
              create index tasks_tasks_turn on tasks_tasks (turn)
                where state in ('QUEUED', 'RETRIED') and open_needs = 0;
              drop index tasks_tasks_ready;
              create index tasks_tasks_ready on tasks_tasks (agent, priority desc, turn, due_at, no)
                where state in ('QUEUED', 'RETRIED') and open_needs = 0;
              """));

  private static final String PLAN_COLUMNS =
      "no, id, key, goal, priority, thread_id, event, person, state, reason, made_at, ended_at,"
          + " told, crc, replans, reviewing, retry_of, supervised";

  static final String PLANS = "select " + PLAN_COLUMNS + " from tasks_plans ";

  static final String TASKS =
      "select id, plan, position, name, first_agent, action, payload, needs, crc, agent, state,"
          + " reason, attempts, agent_attempts, reassigns, tried, due_at, epoch,"
          + " repeatable, lease_until, output, code, made_at, ended_at, asks, checkable,"
          + " doubtful, level, round from tasks_tasks ";

  private static final String WAITING = "state in ('QUEUED', 'RETRIED') and open_needs = 0";

  /**
   * When the next plan of somebody has its turn among those of others: after all that he has open,
   * and not before what is given out now. So those who want little at a time do not wait for those
   * who want much.
   */
  static final String NEXT_TURN =
      """
      max(
        coalesce((select min(turn) from tasks_tasks where %s), 0),
        coalesce((select max(turn) + 1 from tasks_plans where ended_at = 0 and whose = ?), 0))\
      """
          .formatted(WAITING);

  /**
   * Tasks that may be given out, of each agent the first few: the tasks of an agent that takes none
   * now are not looked at, however many there are.
   */
  static final String READY =
      """
      with recursive agents (agent_id) as (
        select min(agent) from tasks_tasks where %1$s
        union all
        select (select min(agent) from tasks_tasks where %1$s and agent > agent_id) from agents
          where agent_id is not null)
      %2$s where no in (
        select first.no from agents join tasks_tasks first on first.no in (
          select no from tasks_tasks where %1$s and agent = agent_id and due_at <= ?
            and level not in (select value from json_each(?))
            order by priority desc, turn, due_at, no limit ?)
        where agent_id is not null and agent_id not in (select value from json_each(?)))
      order by priority desc, turn, due_at, no limit ?\
      """
          .formatted(WAITING, TASKS);

  private TaskRows() {}

  static long crc(String id, String key, String goal, String thread, String event, String person) {
    return new Crc().add(id).add(key).add(goal).add(thread).add(event).add(person).value();
  }

  static long crc(String id, String plan, Step step) {
    return new Crc()
        .add(id)
        .add(plan)
        .add(step.name())
        .add(step.agent())
        .add(step.action())
        .add(step.payload())
        .add(joined(step.needs()))
        .value();
  }

  static String joined(Set<String> names) {
    return String.join(",", names.stream().sorted().toList());
  }

  static List<String> split(String joined) {
    return joined.isEmpty() ? List.of() : Arrays.asList(joined.split(",", -1));
  }

  /** Empty for a row that is damaged. */
  static Optional<Plan> plan(ResultSet row) throws SQLException {
    String id = row.getString(2);
    try {
      Plan plan =
          new Plan(
              row.getLong(1),
              id,
              row.getString(3),
              row.getString(4),
              row.getInt(5),
              new PlanOrigin(row.getString(6), row.getString(7), row.getString(8)),
              PlanState.valueOf(row.getString(9)),
              row.getString(10),
              Instant.ofEpochMilli(row.getLong(11)),
              time(row.getLong(12)),
              row.getInt(13) != 0,
              row.getInt(15),
              row.getInt(16) != 0,
              row.getString(17),
              row.getInt(18) != 0);
      PlanOrigin origin = plan.origin();
      long crc =
          crc(id, plan.key(), plan.goal(), origin.threadId(), origin.eventId(), origin.person());
      if (crc == row.getLong(14)) {
        return Optional.of(plan);
      }
    } catch (IllegalArgumentException | NullPointerException _) {
      // A text that no column of ours holds.
    }
    LOG.error("plan {}: its row is damaged and is left out", id);
    return Optional.empty();
  }

  /** A task whose row may be damaged: of one that is, only the id can be trusted. */
  record Found(String id, @Nullable Task task) {}

  static Found task(ResultSet row) throws SQLException {
    String id = row.getString(1);
    try {
      String plan = row.getString(2);
      Step step =
          new Step(
              row.getString(4),
              row.getString(5),
              row.getString(6),
              row.getString(7),
              Set.copyOf(split(row.getString(8))));
      Task task =
          new Task(
              id,
              plan,
              row.getInt(3),
              step,
              row.getString(10),
              TaskState.valueOf(row.getString(11)),
              row.getString(12),
              row.getInt(13),
              row.getInt(14),
              row.getInt(15),
              split(row.getString(16)),
              Instant.ofEpochMilli(row.getLong(17)),
              row.getLong(18),
              row.getInt(19) != 0,
              time(row.getLong(20)),
              row.getString(21),
              row.getString(22),
              Instant.ofEpochMilli(row.getLong(23)),
              time(row.getLong(24)),
              row.getInt(25),
              row.getInt(26) != 0,
              row.getInt(27) != 0,
              row.getString(28),
              row.getInt(29));
      if (crc(id, plan, step) == row.getLong(9)) {
        return new Found(id, task);
      }
    } catch (IllegalArgumentException | NullPointerException _) {
      // A text that no column of ours holds.
    }
    LOG.error("task {}: its row is damaged", id);
    return new Found(id, null);
  }

  /** Those that are whole, in the order of their steps. */
  static List<Task> tasksOf(Statements sql, String planId) throws SQLException {
    return sql.list(TaskRows::task, TASKS + "where plan = ? order by position", planId).stream()
        .flatMap(found -> Optional.ofNullable(found.task()).stream())
        .toList();
  }

  static Optional<Task> task(Statements sql, String id) throws SQLException {
    return sql.first(TaskRows::task, TASKS + "where id = ?", id)
        .flatMap(found -> Optional.ofNullable(found.task()));
  }

  /** Oldest first. */
  static List<TaskAttempt> attempts(Statements sql, String taskId) throws SQLException {
    return sql.list(
        row ->
            new TaskAttempt(
                row.getInt(1),
                row.getString(2),
                Instant.ofEpochMilli(row.getLong(3)),
                time(row.getLong(4)),
                row.getString(5),
                row.getString(6)),
        "select number, agent, began_at, ended_at, code, message from tasks_attempts"
            + " where task = ? order by number",
        taskId);
  }

  /** Oldest first. */
  static List<PlanMove> moves(Statements sql, String planId) throws SQLException {
    return sql.list(
        row ->
            new PlanMove(
                Instant.ofEpochMilli(row.getLong(1)),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5)),
        "select at, task, before, after, reason from tasks_moves where plan = ? order by no",
        planId);
  }

  /** All that is kept of a task. */
  static TaskSnapshot whole(Statements sql, Task task) throws SQLException {
    boolean isLetter =
        sql.first(
                row -> row.getLong(1),
                "select no from tasks_tasks where id = ? and letter = 1",
                task.id())
            .isPresent();
    return new TaskSnapshot(
        task,
        attempts(sql, task.id()),
        InputRows.open(sql, task.id()),
        InputRows.closed(sql, task.id()),
        isLetter);
  }

  static @Nullable Instant time(long millis) {
    return millis == NEVER ? null : Instant.ofEpochMilli(millis);
  }
}
