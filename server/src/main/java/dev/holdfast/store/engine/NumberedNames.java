package dev.holdfast.store.engine;

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
public final class NumberedNames {
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

  public void load(Statements sql) throws SQLException {
    sql.list(row -> Map.entry(row.getString(2), row.getLong(1)), "select no, source from sources")
        .forEach(entry -> sources.put(entry.getKey(), entry.getValue()));
  }

  /** Every source that ever sent an event. Safe from any thread. */
  public Set<String> sources() {
    return Set.copyOf(sources.keySet());
  }

  public long source(Statements sql, String source) throws SQLException {
    Long known = sources.get(source);
    if (known != null) {
      return known;
    }
    long made =
        numbers(
            sql,
            "insert into sources (source) values (?) on conflict do update set source = source returning no",
            source);
    sources.put(source, made);
    return made;
  }

  public long thread(Statements sql, String threadId) throws SQLException {
    Long known = threads.get(threadId);
    if (known != null) {
      return known;
    }
    long made =
        numbers(
            sql,
            "insert into threads (thread_id, last_at, events) values (?, 0, 0)"
                + " on conflict do update set thread_id = thread_id returning no",
            threadId);
    threads.put(threadId, made);
    return made;
  }

  /** After a rollback: some of the remembered rows may be gone. */
  void forget(Statements sql) throws SQLException {
    threads.clear();
    sources.clear();
    load(sql);
  }

  private static long numbers(Statements sql, String text, String name) throws SQLException {
    List<Long> made = sql.list(row -> row.getLong(1), text, name);
    return made.getFirst();
  }
}
