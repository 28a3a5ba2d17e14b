package dev.holdfast.tasks.ledger;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.rules.HealthState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The health of worker agents, on disk and, as of the last commit, in memory: it is asked before
 * each task. Thread-safe.
 */
public final class AgentRecords {
  private static final String KEEP =
      "insert into tasks_agents (id, health, failures, last_failure_at, last_success_at,"
          + " open_until) values (?, ?, ?, ?, ?, ?) on conflict (id) do update set"
          + " health = excluded.health, failures = excluded.failures,"
          + " last_failure_at = excluded.last_failure_at,"
          + " last_success_at = excluded.last_success_at, open_until = excluded.open_until";

  private final Engine engine;
  private final Audit audit;
  private final AgentReviews reviews;
  private final Map<String, AgentHealth> known = new ConcurrentHashMap<>();

  AgentRecords(Engine engine, Audit audit) {
    this.engine = engine;
    this.audit = audit;
    this.reviews = new AgentReviews(engine, audit);
    engine
        .read(
            sql ->
                sql.list(
                    AgentRecords::read,
                    "select id, health, failures, last_failure_at, last_success_at, open_until"
                        + " from tasks_agents"))
        .forEach(health -> known.put(health.agentId(), health));
  }

  /** From memory. */
  public AgentHealth of(String agentId) {
    AgentHealth health = known.get(agentId);
    return health == null ? AgentHealth.unknown(agentId) : health;
  }

  /** What was decided about agents that failed too often. */
  public AgentReviews reviews() {
    return reviews;
  }

  /**
   * As an operator wants it: closes its circuit and takes back what was chosen for it. Durable on
   * return; {@code entry} with it.
   */
  public void reset(String agentId, AuditEntry entry) throws StoreException {
    engine.call(
        tx -> {
          keep(tx, stored(tx.sql(), agentId).reset());
          reviews.forget(tx, agentId);
          audit.insert(tx, entry);
          return true;
        });
  }

  /** Part of the transaction that ends an attempt. */
  void keep(Transaction tx, AgentHealth health) throws SQLException {
    tx.sql()
        .update(
            KEEP,
            health.agentId(),
            health.state().name(),
            health.consecutiveFailures(),
            millis(health.lastFailureAt()),
            millis(health.lastSuccessAt()),
            millis(health.circuitOpenUntil()));
    tx.afterCommit(() -> known.put(health.agentId(), health));
  }

  /** As the transaction sees it: changes that are committed together build on each other. */
  static AgentHealth stored(Statements sql, String agentId) throws SQLException {
    return sql.first(
            AgentRecords::read,
            "select id, health, failures, last_failure_at, last_success_at, open_until"
                + " from tasks_agents where id = ?",
            agentId)
        .orElseGet(() -> AgentHealth.unknown(agentId));
  }

  private static long millis(@Nullable Instant at) {
    return at == null ? TaskRows.NEVER : Timestamps.of(at);
  }

  private static AgentHealth read(ResultSet row) throws SQLException {
    String id = row.getString(1);
    try {
      return new AgentHealth(
          id,
          HealthState.valueOf(row.getString(2)),
          row.getInt(3),
          TaskRows.time(row.getLong(4)),
          TaskRows.time(row.getLong(5)),
          TaskRows.time(row.getLong(6)));
    } catch (IllegalArgumentException | NullPointerException _) {
      return AgentHealth.unknown(id); // a text that no column of ours holds: it shows again
    }
  }
}
