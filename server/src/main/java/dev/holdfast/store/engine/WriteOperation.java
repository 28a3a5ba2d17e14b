package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queued change and who waits for it. Claimed by one thread: the writer, or the watch that
 * refuses it.
 */
final class WriteOperation<T> {
  private static final Logger LOG = LoggerFactory.getLogger(WriteOperation.class);

  private final CompletableFuture<T> done = new CompletableFuture<>();
  private final AtomicBoolean claimed = new AtomicBoolean();
  private final Engine.Work<T> work;
  private final Kind kind;
  private final long since;
  private @Nullable T result;
  private @Nullable Throwable failure;

  enum Kind {
    /** It may be refused when it waits too long. */
    REFUSABLE,
    /** Somebody blocks until it is durable. */
    AWAITED,
    /** Nobody waits; a full disk only delays it. */
    LAZY
  }

  /**
   * @param since when it was queued, by the steady clock
   */
  WriteOperation(Engine.Work<T> work, Kind kind, long since) {
    this.work = work;
    this.kind = kind;
    this.since = since;
  }

  CompletableFuture<T> done() {
    return done;
  }

  Kind kind() {
    return kind;
  }

  long since() {
    return since;
  }

  /** Returns true for the first caller alone: whoever gets it completes it. */
  boolean claim() {
    return claimed.compareAndSet(false, true);
  }

  void run(Transaction tx) throws SQLException {
    failure = null;
    try {
      result = work.in(tx);
    } catch (StoreException e) {
      failure = e;
    }
  }

  void fail(Throwable why) {
    failure = why;
  }

  /** After the commit or the rollback. What hangs on the future must not take the writer down. */
  @SuppressWarnings("NullAway") // a work without a failure has set its result
  void complete() {
    try {
      if (failure == null) {
        done.complete(result);
      } else {
        done.completeExceptionally(failure);
      }
    } catch (RuntimeException e) {
      LOG.error("store: a listener of a commit failed", e);
    }
  }
}
