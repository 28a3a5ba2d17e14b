package dev.holdfast.store.ledgers;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.EventLedger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was asked of models and what it cost. Thread-safe. */
public final class Usage implements EventLedger {
  /** A month's budget is a sum over these. */
  private static final Duration KEPT = Duration.ofDays(40);

  private final Engine engine;
  private final Spending spending;

  public Usage(Engine engine) {
    this.engine = engine;
    this.spending = new Spending(engine);
  }

  /** As {@link #add(ModelCallRow, String)}, of nobody in particular. */
  public void add(ModelCallRow row) {
    add(row, "");
  }

  /**
   * Written with the next commit, not waited for.
   *
   * @param person whom it is counted for, the platform's id behind the channel and account
   */
  public void add(ModelCallRow row, String person) {
    spending.add(row, person, tx -> insert(tx, row, person));
  }

  private static int insert(Transaction tx, ModelCallRow row, String person) throws SQLException {
    return tx.sql()
        .update(
            "insert into model_calls (event_id, thread_id, at, provider, model, outcome,"
                + " input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,"
                + " cost_usd, first_token_millis, millis, person)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row.eventId(),
            row.threadId(),
            Timestamps.of(row.at()),
            row.provider(),
            row.model(),
            row.outcome(),
            row.inputTokens(),
            row.outputTokens(),
            row.cacheReadTokens(),
            row.cacheWriteTokens(),
            row.costUsd(),
            row.firstTokenMillis(),
            row.millis(),
            person);
  }

  public List<ModelCallRow> ofEvent(String eventId) {
    return engine.ask(
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

  /** What the calls for a chat thread came to, as far back as calls are kept. */
  public ThreadTotal ofThread(String threadId) {
    return engine.read(
        sql ->
            sql.first(
                    row ->
                        new ThreadTotal(
                            row.getLong(1), row.getLong(2), row.getLong(3), row.getDouble(4)),
                    "select count(*), coalesce(sum(input_tokens + cache_read_tokens"
                        + " + cache_write_tokens), 0), coalesce(sum(output_tokens), 0),"
                        + " coalesce(sum(cost_usd), 0) from model_calls where thread_id = ?",
                    threadId)
                .orElseThrow());
  }

  /**
   * @param inputTokens of all kinds, cached ones too
   */
  public record ThreadTotal(long calls, long inputTokens, long outputTokens, double costUsd) {}

  /** The model that gave each event's last answer; events without one are left out. */
  public Map<String, String> models(List<String> eventIds) {
    if (eventIds.isEmpty()) {
      return Map.of();
    }
    return engine.read(
        sql -> {
          Map<String, String> models = new HashMap<>();
          for (String id : Set.copyOf(eventIds)) {
            sql.first(
                    row -> row.getString(1),
                    "select model from model_calls where event_id = ? and outcome = 'ok'"
                        + " order by no desc limit 1",
                    id)
                .ifPresent(model -> models.put(id, model));
          }
          return models;
        });
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

  /** Whose calls are added up. */
  public enum Whose {
    ALL,
    PERSON,
    THREAD
  }

  /** Whether {@link #told} was said of that. */
  public boolean isTold(String what) {
    return engine
        .read(sql -> sql.first(row -> row.getInt(1), "select 1 from told where what = ?", what))
        .isPresent();
  }

  /** Remembers that somebody was told of something. Durable on return. */
  public void told(String what, Instant at) throws StoreException {
    engine.call(
        tx ->
            tx.sql()
                .update(
                    "insert into told (what, at) values (?, ?) on conflict do nothing",
                    what,
                    Timestamps.of(at)));
  }

  /**
   * What calls came to.
   *
   * @param messages events that a model was asked for; of ALL they are not counted
   */
  public record Spent(long messages, long tokens, double costUsd) {}

  /**
   * What was spent since {@code since}, with all that was added before. From memory, but for the
   * first time.
   *
   * @param id the person or the thread; empty for ALL
   * @param eventId an event that does not count as a message
   * @throws StoreException when it has to be read and the store takes nothing
   */
  public Spent spent(Whose whose, String id, Instant since, String eventId) throws StoreException {
    return spending.spent(new Spending.Owner(whose, id), since, eventId);
  }

  @Override
  public void forget(Transaction tx, Instant cutoff, Instant now) throws SQLException {
    Instant month = now.minus(KEPT);
    long before = Timestamps.of(month.isBefore(cutoff) ? month : cutoff);
    tx.sql().update("delete from told where at < ?", before);
    tx.sql()
        .update(
            "delete from model_calls where no in"
                + " (select no from model_calls where at < ? order by at limit 5000)",
            before);
  }

  /** Sums by provider, model and outcome since {@code since}. */
  public List<Sum> sums(Instant since) {
    return engine.ask(
        handle ->
            handle
                .createQuery(
                    "select provider, model, outcome, count(*), sum(input_tokens),"
                        + " sum(output_tokens), sum(cost_usd) from model_calls where at >= :since"
                        + " group by provider, model, outcome order by provider, model, outcome")
                .bind("since", Timestamps.of(since))
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
