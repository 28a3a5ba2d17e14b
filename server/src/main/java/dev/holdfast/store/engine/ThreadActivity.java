package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When each thread was last written to, and how many events it had. Collected in memory and written
 * about once a second, since a row per event would cost as much as the event itself; after a crash
 * the events that are newer than the last writing are counted again. Thread-safe.
 */
public final class ThreadActivity {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadActivity.class);
  private static final String WRITTEN_UPTO = "touched";

  private final Map<Long, Sum> waiting = new HashMap<>();
  private final ReentrantLock settling = new ReentrantLock();
  private @Nullable Writer writer;

  /** One new event of a thread. */
  record Touch(long thread, long at) {}

  private record Sum(long at, long events) {
    Sum plus(Sum other) {
      return new Sum(Math.max(at, other.at), events + other.events);
    }
  }

  /** Before the writer runs: counts what a crash kept from being written. */
  public void begin(Writer through, Statements sql) throws SQLException {
    writer = through;
    long upto =
        sql.first(row -> row.getLong(1), "select n from counters where name = ?", WRITTEN_UPTO)
            .orElse(0L);
    List<Touch> missed =
        sql.list(
            row -> new Touch(row.getLong(1), row.getLong(2)),
            "select thread, received_at from events where seq > ?",
            upto);
    add(missed);
  }

  /** After the commit of the events, on the writer's thread. */
  synchronized void add(List<Touch> touches) {
    for (Touch touch : touches) {
      waiting.merge(touch.thread(), new Sum(touch.at(), 1), Sum::plus);
    }
  }

  /**
   * Writes what waits. Blocks until it is done; when the disk refuses, it stays for the next time.
   */
  public void settle() {
    Writer through = writer;
    if (through == null || isEmpty()) {
      return;
    }
    settling.lock(); // two in one transaction would both write the same sums
    try {
      through.<Boolean>call(this::write);
    } catch (StoreException e) {
      LOG.debug("store: the times of threads are written later: {}", e.getMessage());
    } finally {
      settling.unlock();
    }
  }

  private synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** All commits before this transaction have added theirs; those in it add theirs afterwards. */
  private boolean write(Transaction tx) throws SQLException {
    Map<Long, Sum> sums;
    synchronized (this) {
      sums = Map.copyOf(waiting);
    }
    for (Map.Entry<Long, Sum> thread : sums.entrySet()) {
      tx.sql()
          .update(
              "update threads set last_at = max(last_at, ?), events = events + ? where no = ?",
              thread.getValue().at(),
              thread.getValue().events(),
              thread.getKey());
    }
    tx.sql()
        .update(
            "insert into counters (name, n) values (?, ?)"
                + " on conflict (name) do update set n = excluded.n",
            WRITTEN_UPTO,
            tx.committed(Count.ACCEPTED));
    tx.afterCommit(() -> remove(sums));
    return true;
  }

  private synchronized void remove(Map<Long, Sum> written) {
    written.forEach(
        (thread, sum) ->
            waiting.computeIfPresent(
                thread,
                (_, now) ->
                    now.events() == sum.events()
                        ? null
                        : new Sum(now.at(), now.events() - sum.events())));
  }
}
