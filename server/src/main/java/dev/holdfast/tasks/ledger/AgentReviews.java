package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.rules.AgentRemedy;
import dev.holdfast.tasks.rules.AgentTuning;
import io.vertx.core.json.JsonObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last decision about each agent that failed too often, with the settings that were chosen for
 * it: on disk and, as of the last commit, in memory. Thread-safe.
 */
public final class AgentReviews {
  private static final Logger LOG = LoggerFactory.getLogger(AgentReviews.class);
  private static final String ALL =
      "select agent, at, remedy, by_model, reason, timeout_secs, max_concurrent, done"
          + " from tasks_reviews";

  private final Engine engine;
  private final Audit audit;
  private final Map<String, AgentReview> known = new ConcurrentHashMap<>();

  AgentReviews(Engine engine, Audit audit) {
    this.engine = engine;
    this.audit = audit;
    for (Optional<AgentReview> each : engine.read(sql -> sql.list(AgentReviews::read, ALL))) {
      each.ifPresent(review -> known.put(review.agentId(), review));
    }
  }

  /** From memory. */
  public Optional<AgentReview> of(String agentId) {
    return Optional.ofNullable(known.get(agentId));
  }

  /** What was chosen for an agent in place of its configured settings; from memory. */
  public AgentTuning tuning(String agentId) {
    return of(agentId).map(AgentReview::tuning).orElse(AgentTuning.NONE);
  }

  /** Decisions that nobody has acted on yet. */
  public List<AgentReview> undone() {
    return known.values().stream().filter(review -> !review.done()).toList();
  }

  /** Writes a decision down with its audit entry. Durable on return. */
  public void decide(AgentReview review) throws StoreException {
    engine.call(
        tx -> {
          keep(tx, review);
          audit.insert(tx, entry(review));
          return true;
        });
  }

  private static AuditEntry entry(AgentReview review) {
    Duration timeout = review.tuning().timeout();
    return new AuditEntry(
        "agent." + review.remedy().label(),
        "",
        "",
        "",
        "server",
        new JsonObject()
            .put("agent_id", review.agentId())
            .put("by", review.byModel() ? "model" : "rule")
            .put("reason", review.reason())
            .put("timeout_secs", timeout == null ? null : timeout.toSeconds())
            .put("max_concurrent", review.tuning().maxConcurrent())
            .encode());
  }

  /** It was acted on. */
  public void done(AgentReview review) throws StoreException {
    engine.call(
        tx -> {
          keep(
              tx,
              new AgentReview(
                  review.agentId(),
                  review.at(),
                  review.remedy(),
                  review.byModel(),
                  review.reason(),
                  review.tuning(),
                  true));
          return true;
        });
  }

  private void keep(Transaction tx, AgentReview review) throws SQLException {
    Duration timeout = review.tuning().timeout();
    Integer concurrent = review.tuning().maxConcurrent();
    tx.sql()
        .update(
            "insert or replace into tasks_reviews (agent, at, remedy, by_model, reason,"
                + " timeout_secs, max_concurrent, done) values (?, ?, ?, ?, ?, ?, ?, ?)",
            review.agentId(),
            Timestamps.of(review.at()),
            review.remedy().name(),
            review.byModel() ? 1 : 0,
            review.reason(),
            timeout == null ? 0 : timeout.toSeconds(),
            concurrent == null ? 0 : concurrent,
            review.done() ? 1 : 0);
    tx.afterCommit(() -> known.put(review.agentId(), review));
  }

  /** Forgets what was decided and chosen; part of the transaction that resets the agent. */
  void forget(Transaction tx, String agentId) throws SQLException {
    tx.sql().update("delete from tasks_reviews where agent = ?", agentId);
    tx.afterCommit(() -> known.remove(agentId));
  }

  private static Optional<AgentReview> read(ResultSet row) throws SQLException {
    String agent = row.getString(1);
    Instant at = TaskRows.time(row.getLong(2));
    long timeout = row.getLong(6);
    int concurrent = row.getInt(7);
    try {
      return Optional.of(
          new AgentReview(
              agent,
              at == null ? Instant.EPOCH : at,
              AgentRemedy.valueOf(row.getString(3)),
              row.getInt(4) != 0,
              row.getString(5),
              new AgentTuning(
                  timeout > 0 ? Duration.ofSeconds(timeout) : null,
                  concurrent > 0 ? (Integer) concurrent : null),
              row.getInt(8) != 0));
    } catch (IllegalArgumentException | NullPointerException _) {
      LOG.warn("agent {}: what was decided about it cannot be read and is forgotten", agent);
      return Optional.empty(); // a text that no column of ours holds
    }
  }
}
