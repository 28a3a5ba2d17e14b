package dev.holdfast.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** What was asked of models and what it cost. Thread-safe. */
public final class Usage {
  private final Writer writer;
  private final Readers readers;

  Usage(Writer writer, Readers readers) {
    this.writer = writer;
    this.readers = readers;
  }

  /** Written with the next commit, not waited for. */
  public void add(ModelCallRow row) {
    writer.later(
        tx ->
            tx.sql()
                .update(
                    "insert into model_calls (event_id, thread_id, at, provider, model, outcome,"
                        + " input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,"
                        + " cost_usd, first_token_millis, millis)"
                        + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row.eventId(),
                    row.threadId(),
                    Millis.of(row.at()),
                    row.provider(),
                    row.model(),
                    row.outcome(),
                    row.inputTokens(),
                    row.outputTokens(),
                    row.cacheReadTokens(),
                    row.cacheWriteTokens(),
                    row.costUsd(),
                    row.firstTokenMillis(),
                    row.millis()));
  }

  public List<ModelCallRow> ofEvent(String eventId) {
    return readers.ask(
        handle ->
            handle
                .createQuery(
                    "select event_id, thread_id, at, provider, model, outcome, input_tokens,"
                        + " output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,"
                        + " first_token_millis, millis"
                        + " from model_calls where event_id = :id order by no")
                .bind("id", eventId)
                .map((row, _) -> call(row))
                .list());
  }

  private static ModelCallRow call(ResultSet row) throws SQLException {
    return new ModelCallRow(
        row.getString(1),
        row.getString(2),
        Instant.ofEpochMilli(row.getLong(3)),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getLong(7),
        row.getLong(8),
        row.getLong(9),
        row.getLong(10),
        row.getDouble(11),
        row.getLong(12),
        row.getLong(13));
  }

  /** Sums by provider, model and outcome since {@code since}. */
  public List<Sum> sums(Instant since) {
    return readers.ask(
        handle ->
            handle
                .createQuery(
                    "select provider, model, outcome, count(*), sum(input_tokens),"
                        + " sum(output_tokens), sum(cost_usd) from model_calls where at >= :since"
                        + " group by provider, model, outcome order by provider, model, outcome")
                .bind("since", Millis.of(since))
                .map(
                    (row, _) ->
                        new Sum(
                            row.getString(1),
                            row.getString(2),
                            row.getString(3),
                            row.getLong(4),
                            row.getLong(5),
                            row.getLong(6),
                            row.getDouble(7)))
                .list());
  }

  /** A sum over calls. */
  public record Sum(
      String provider,
      String model,
      String outcome,
      long calls,
      long inputTokens,
      long outputTokens,
      double costUsd) {}
}
