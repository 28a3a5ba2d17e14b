package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When each thread was last written to, and how many events it had. Collected in memory and written
 * about once a second, since a row per event would cost as much as the event itself; after a crash
 * the events that are newer than the last writing are counted again. Thread-safe.
 */
final class ThreadActivity {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadActivity.class);

  private final Map<Long, Sum> waiting = new HashMap<>();
  private final ReentrantLock settling = new ReentrantLock();
  private final Engine engine;

  /** Of the transaction of now; the writer's thread alone uses it. */
  private final List<Touch> uncommitted = new ArrayList<>();

  ThreadActivity(Engine engine) {
    this.engine = engine;
  }

  /** One new event of a thread. */
  private record Touch(long thread, long at) {}

  private record Sum(long at, long events) {
    Sum plus(Sum other) {
      return new Sum(Math.max(at, other.at), events + other.events);
    }
  }

  /** At a start: counts what a crash kept from being written. */
  void recover(Transaction tx) throws SQLException {
    List<Touch> missed =
        tx.sql()
            .list(
                row -> new Touch(row.getLong(1), row.getLong(2)),
                "select thread, received_at from events where seq > ?",
                tx.counted(MessageCounters.TOUCHED));
    add(missed);
  }

  /** One more event of the thread. */
  void touch(Transaction tx, long thread, Instant at) {
    if (uncommitted.isEmpty()) {
      tx.afterCommit(
          () -> {
            add(uncommitted);
            uncommitted.clear();
          });
      tx.afterRollback(uncommitted::clear);
    }
    uncommitted.add(new Touch(thread, Timestamps.of(at)));
  }

  private synchronized void add(List<Touch> touches) {
    for (Touch touch : touches) {
      waiting.merge(touch.thread(), new Sum(touch.at(), 1), Sum::plus);
    }
  }

  /**
   * Writes what waits. Blocks until it is done; when the disk refuses, it stays for the next time.
   */
  void settle() {
    if (isEmpty()) {
      return;
    }
    settling.lock(); // two in one transaction would both write the same sums
    try {
      engine.<Boolean>call(this::write);
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
    long upto = tx.committed(MessageCounters.ACCEPTED);
    tx.count(MessageCounters.TOUCHED, upto - tx.counted(MessageCounters.TOUCHED));
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
