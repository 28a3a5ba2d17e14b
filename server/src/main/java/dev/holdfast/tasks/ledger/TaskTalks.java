package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import java.util.List;

/**
 * What agents that are models have said and done at a task, in order: it outlives a crash, so that
 * nothing is paid for twice. Forgotten at the end of the task. Thread-safe.
 */
public final class TaskTalks {
  private final Engine engine;

  TaskTalks(Engine engine) {
    this.engine = engine;
  }

  /**
   * What was said or done.
   *
   * @param level of the models that did it
   */
  public record Entry(String level, String text) {}

  /** Of one agent; another one begins anew. */
  public List<Entry> read(String taskId, String agent) {
    return engine.read(
        sql ->
            sql.list(
                row -> new Entry(row.getString(1), row.getString(2)),
                "select level, entry from tasks_talks where task = ? and agent = ?"
                    + " order by number",
                taskId,
                agent));
  }

  /** Adds an entry; durable on return. Nothing is kept of a task that has ended. */
  public void append(String taskId, String agent, String level, String entry)
      throws StoreException {
    engine.call(
        tx ->
            tx.sql()
                .update(
                    "insert into tasks_talks (task, number, agent, level, entry)"
                        + " select ?, coalesce((select max(number) from tasks_talks where task = ?),"
                        + " 0) + 1, ?, ?, ? from tasks_tasks where id = ? and ended_at = 0",
                    taskId,
                    taskId,
                    agent,
                    level,
                    entry,
                    taskId));
  }
}
