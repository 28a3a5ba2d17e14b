package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction of the writer, shared by the changes that are committed together. Used on the
 * writer's thread alone, and only until the change returns.
 */
public final class Transaction {
  /** All transactions of the writer. */
  static final Counter COMMITS = new Counter("COMMITS");

  private static final Logger LOG = LoggerFactory.getLogger(Transaction.class);

  private final Statements sql;
  private final Counters counters;
  private final Map<Counter, Long> deltas = new HashMap<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final List<Runnable> afterRollback = new ArrayList<>();

  Transaction(Statements sql, Counters counters) {
    this.sql = sql;
    this.counters = counters;
  }

  public Statements sql() {
    return sql;
  }

  /** Changes a count together with what it counts. */
  public void count(Counter counter, long by) {
    deltas.merge(counter, by, Long::sum);
  }

  /** The count as this transaction will leave it. */
  public long counted(Counter counter) {
    return counters.get(counter) + deltas.getOrDefault(counter, 0L);
  }

  /** The count as it was before this transaction. */
  public long committed(Counter counter) {
    return counters.get(counter);
  }

  /**
   * Runs on the writer's thread once this transaction is durable, before anybody hears of a result;
   * not at all when it is rolled back. Hand over and return: all other changes wait.
   */
  public void afterCommit(Runnable task) {
    afterCommit.add(task);
  }

  /**
   * Runs on the writer's thread when this transaction is rolled back, to forget what was remembered
   * of it. The change may then be made again, in a transaction of its own.
   */
  public void afterRollback(Runnable task) {
    afterRollback.add(task);
  }

  void begin() throws SQLException {
    sql.of("begin immediate").execute();
  }

  /** Durable on return. */
  void commit() throws SQLException {
    Counters.write(sql, deltas);
    sql.of("commit").execute();
  }

  /** After the commit. */
  void publish() {
    counters.publish(deltas);
    run(afterCommit); // what is committed stays so
  }

  void rollBack() {
    sql.forget();
    try {
      sql.of("rollback").execute();
    } catch (SQLException _) {
      // The database has rolled back by itself already.
    }
    run(afterRollback);
  }

  private static void run(List<Runnable> tasks) {
    for (Runnable task : tasks) {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.error("store: a listener of a transaction failed", e);
      }
    }
  }
}
