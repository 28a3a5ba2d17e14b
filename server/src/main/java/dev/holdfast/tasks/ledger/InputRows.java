package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import io.vertx.core.json.JsonArray;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rows of what agents ask people for. */
final class InputRows {
  private static final Logger LOG = LoggerFactory.getLogger(InputRows.class);

  static final String INPUTS =
      "select id, task, plan, kind, question, choices, fallback, state, asked_at, deadline, crc,"
          + " answer, answered_by, answered_at from tasks_inputs ";

  private InputRows() {}

  /**
   * @param inThread whether there is a chat thread to ask in
   */
  static void insert(
      Transaction tx, String id, Task task, InputQuestion asked, boolean inThread, Instant now)
      throws SQLException {
    String choices = new JsonArray(asked.choices()).encode();
    long deadline = Timestamps.of(now.plus(asked.patience()));
    tx.sql()
        .update(
            "insert into tasks_inputs (id, task, plan, kind, question, choices, fallback, state,"
                + " asked_at, deadline, crc, told, answer, answered_by, answered_at)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0)",
            id,
            task.id(),
            task.planId(),
            asked.kind().name(),
            asked.text(),
            choices,
            fallback(asked),
            asked.state(),
            Timestamps.of(now),
            deadline,
            crc(
                id,
                task.id(),
                asked.kind().name(),
                asked.text(),
                choices,
                fallback(asked),
                asked.state()),
            inThread ? 0 : 1);
  }

  /** Empty for none: no answer is. */
  private static String fallback(InputQuestion asked) {
    return Objects.requireNonNullElse(asked.fallback(), "");
  }

  private static long crc(
      String id,
      String task,
      String kind,
      String question,
      String choices,
      String fallback,
      String state) {
    return new Crc()
        .add(id)
        .add(task)
        .add(kind)
        .add(question)
        .add(choices)
        .add(fallback)
        .add(state)
        .value();
  }

  /** Nobody is waited for any more; at the end of a task, what was secret is forgotten. */
  static void close(Transaction tx, String taskId, boolean forGood, Instant now)
      throws SQLException {
    tx.sql()
        .update(
            "update tasks_inputs set answered_at = ? where task = ? and answered_at = 0",
            Timestamps.of(now),
            taskId);
    if (forGood) {
      forget(tx, taskId);
    }
  }

  /** Forgets what was secret. */
  static void forget(Transaction tx, String taskId) throws SQLException {
    tx.sql()
        .update(
            "update tasks_inputs set answer = '' where task = ? and kind = 'CREDENTIAL'", taskId);
  }

  /** A row that may be damaged: of one that is, only whose it is can be trusted. */
  record Found(String id, String taskId, @Nullable TaskInput input) {}

  static Found input(ResultSet row) throws SQLException {
    String id = row.getString(1);
    String task = row.getString(2);
    try {
      String kind = row.getString(4);
      String question = row.getString(5);
      String choices = row.getString(6);
      String fallback = row.getString(7);
      String state = row.getString(8);
      Instant askedAt = Instant.ofEpochMilli(row.getLong(9));
      Instant deadline = Instant.ofEpochMilli(row.getLong(10));
      if (crc(id, task, kind, question, choices, fallback, state) == row.getLong(11)) {
        InputQuestion asked =
            new InputQuestion(
                InputKind.valueOf(kind),
                question,
                new JsonArray(choices).stream().map(String::valueOf).toList(),
                Duration.between(askedAt, deadline),
                fallback.isEmpty() ? null : fallback,
                state);
        return new Found(
            id,
            task,
            new TaskInput(
                id,
                task,
                row.getString(3),
                asked,
                askedAt,
                deadline,
                row.getString(12),
                row.getString(13),
                TaskRows.time(row.getLong(14))));
      }
    } catch (RuntimeException _) {
      // A text that no column of ours holds.
    }
    LOG.error("question {} of task {}: its row is damaged", id, task);
    return new Found(id, task, null);
  }

  /** What a task waits for; empty when it waits for nobody. */
  static Optional<TaskInput> open(Statements sql, String taskId) throws SQLException {
    return newest(sql, taskId, "answered_at = 0");
  }

  /** The last question of a task for which {@code condition} holds. */
  static Optional<TaskInput> newest(Statements sql, String taskId, String condition)
      throws SQLException {
    return whole(
        sql.first(
            InputRows::input,
            INPUTS + "where task = ? and " + condition + " order by no desc limit 1",
            taskId));
  }

  /** As {@link TaskInputs#closed}. */
  static List<TaskInput> closed(Statements sql, String taskId) throws SQLException {
    return sql
        .list(InputRows::input, INPUTS + "where task = ? and answered_at > 0 order by no", taskId)
        .stream()
        .flatMap(found -> Optional.ofNullable(found.input()).stream())
        .map(input -> TaskInputs.isForChats(input) ? input : input.withoutAnswer())
        .toList();
  }

  static Optional<TaskInput> whole(Optional<Found> found) {
    return found.flatMap(one -> Optional.ofNullable(one.input()));
  }
}
