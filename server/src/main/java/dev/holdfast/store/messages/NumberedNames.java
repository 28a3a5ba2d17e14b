package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The short numbers that stand for sources and thread ids in rows. Changed by the writer's thread
 * alone.
 */
final class NumberedNames {
  private static final int THREADS_MAX = 20_000;

  private final Map<String, Long> threads =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > THREADS_MAX;
        }
      };
  private final Map<String, Long> sources = new ConcurrentHashMap<>();

  void load(Statements sql) throws SQLException {
    sql.list(row -> Map.entry(row.getString(2), row.getLong(1)), "select no, source from sources")
        .forEach(entry -> sources.put(entry.getKey(), entry.getValue()));
  }

  /** Every source that ever sent an event. Safe from any thread. */
  Set<String> sources() {
    return Set.copyOf(sources.keySet());
  }

  long source(Transaction tx, String source) throws SQLException {
    Long known = sources.get(source);
    if (known != null) {
      return known;
    }
    long made =
        numbers(
            tx,
            "insert into sources (source) values (?) on conflict do update set source = source returning no",
            source);
    sources.put(source, made);
    tx.afterRollback(() -> sources.remove(source)); // its row is gone then
    return made;
  }

  long thread(Transaction tx, String threadId) throws SQLException {
    Long known = threads.get(threadId);
    if (known != null) {
      return known;
    }
    long made =
        numbers(
            tx,
            "insert into threads (thread_id, last_at, events) values (?, 0, 0)"
                + " on conflict do update set thread_id = thread_id returning no",
            threadId);
    threads.put(threadId, made);
    tx.afterRollback(() -> threads.remove(threadId));
    return made;
  }

  private static long numbers(Transaction tx, String text, String name) throws SQLException {
    List<Long> made = tx.sql().list(row -> row.getLong(1), text, name);
    return made.getFirst();
  }
}
