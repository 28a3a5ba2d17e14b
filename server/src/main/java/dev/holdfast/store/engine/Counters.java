package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * The counts as of the last commit. Changes are committed together with what they count, so that
 * the sums hold after a crash too. The writer publishes a whole new snapshot per commit: no reader
 * ever sees half a change. Thread-safe.
 */
final class Counters {
  private volatile Map<Counter, Long> committed = Map.of();

  void load(Statements sql) throws SQLException {
    Map<Counter, Long> loaded = new HashMap<>();
    sql.list(
            row -> Map.entry(new Counter(row.getString(1)), row.getLong(2)),
            "select name, n from counters")
        .forEach(entry -> loaded.put(entry.getKey(), entry.getValue()));
    committed = Map.copyOf(loaded);
  }

  long get(Counter counter) {
    return committed.getOrDefault(counter, 0L);
  }

  /** All counts of one moment. What is absent is zero. */
  Map<Counter, Long> snapshot() {
    return committed;
  }

  /** Writes the changes of a transaction into it. */
  static void write(Statements sql, Map<Counter, Long> deltas) throws SQLException {
    for (Map.Entry<Counter, Long> delta : deltas.entrySet()) {
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
  void publish(Map<Counter, Long> deltas) {
    Map<Counter, Long> next = new HashMap<>(committed);
    deltas.forEach((counter, by) -> next.merge(counter, by, Long::sum));
    committed = Collections.unmodifiableMap(next);
  }
}
