package dev.holdfast.store.engine;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * The counts as of the last commit. Changes are committed together with what they count, so that
 * the sums hold after a crash too. The writer publishes a whole new snapshot per commit: no reader
 * ever sees half a change. Thread-safe.
 */
public final class Counters {
  private volatile Map<Count, Long> committed = Map.of();

  public void load(Statements sql) throws SQLException {
    Map<Count, Long> loaded = new EnumMap<>(Count.class);
    try (ResultSet rows =
        sql.of("select name, n from counters where name <> 'touched'").executeQuery()) {
      while (rows.next()) {
        loaded.put(Count.valueOf(rows.getString(1)), rows.getLong(2));
      }
    }
    committed = Collections.unmodifiableMap(loaded);
  }

  public long get(Count count) {
    return get(committed, count);
  }

  private static long get(Map<Count, Long> counts, Count count) {
    return counts.getOrDefault(count, 0L);
  }

  /** All counts of one moment. What is absent is zero. */
  public Map<Count, Long> snapshot() {
    return committed;
  }

  /** Events that are not finished. */
  public long open() {
    Map<Count, Long> now = committed;
    return get(now, Count.PENDING) + get(now, Count.RUNNING) + get(now, Count.PARKED);
  }

  /** Writes the changes of a transaction into it. */
  public static void write(Statements sql, Map<Count, Long> deltas) throws SQLException {
    for (Map.Entry<Count, Long> delta : deltas.entrySet()) {
      if (delta.getValue() != 0) {
        sql.update(
            "insert into counters (name, n) values (?, ?)"
                + " on conflict (name) do update set n = n + excluded.n",
            delta.getKey().name(),
            delta.getValue());
      }
    }
  }

  /** After the commit, by the writer alone. */
  public void publish(Map<Count, Long> deltas) {
    Map<Count, Long> next = new EnumMap<>(Count.class);
    next.putAll(committed);
    deltas.forEach((count, by) -> next.merge(count, by, Long::sum));
    committed = Collections.unmodifiableMap(next);
  }
}
