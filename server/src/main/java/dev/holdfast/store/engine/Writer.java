package dev.holdfast.store.engine;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The one thread that changes the database. Operations that wait at the same time share one
 * transaction and one fsync; one that fails is run again by itself, so that it cannot take the
 * others with it.
 */
final class Writer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
  private static final int GAVE_UP = 70;
  private static final int RETAINED_MAX = 10_000;

  /** How long what nobody waits for may stay in memory while there is nothing else to do. */
  private static final long IDLE_NANOS = 100_000_000;

  /**
   * From so many on a transaction waits for more: so many writers at work keep the processor busy,
   * and fewer transactions take less of it. With fewer of them nobody waits for anybody else.
   */
  private static final int GATHER_FROM = 16;

  /** Said to those who send, and on /ready. */
  static final String TAKES_NOTHING = "the disk accepts no writes: it is full or read-only";

  /** An append that waited this long is refused: its sender has given up or is about to. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  private final WriteQueue queue = new WriteQueue();

  /** What nobody waits for and a full disk refused. */
  private final Deque<WriteOperation<?>> retained = new ArrayDeque<>();

  private final Statements sql;
  private final Counters counters;
  private final EngineConfig config;
  private final Time time;
  private final FailStop failStop;
  private final Listener listener;
  private final Thread thread;

  /** Held during a transaction; the checkpointer takes it when the log must stop growing. */
  private final ReentrantLock turn = new ReentrantLock(true);

  private volatile boolean stopping;
  private volatile boolean full;
  private volatile long busySince;
  private volatile boolean busy;
  private volatile boolean shrinkWanted;
  private volatile BooleanSupplier refusing = () -> false;
  private int lastBatch = 1;

  /** Hears of the writer's work, on its thread. */
  interface Listener {
    /** A batch was committed or refused; nobody has heard of it yet. */
    void ended(long nanos);

    /** After each batch, and several times a second while there is none. */
    void alive();
  }

  Writer(
      Statements sql,
      Counters counters,
      EngineConfig config,
      Time time,
      FailStop failStop,
      Listener listener) {
    this.sql = sql;
    this.counters = counters;
    this.config = config;
    this.time = time;
    this.failStop = failStop;
    this.listener = listener;
    this.thread = Thread.ofPlatform().name("holdfast-store-writer").unstarted(this);
  }

  void start() {
    thread.start();
  }

  ReentrantLock turn() {
    return turn;
  }

  boolean isFull() {
    return full;
  }

  /** How long the transaction of now has taken; zero when none runs. */
  Duration busyFor() {
    return busy ? Duration.ofNanos(time.nanos() - busySince) : Duration.ZERO;
  }

  /**
   * A change that may be refused when it waits too long. Completes after the fsync, on the writer's
   * thread.
   */
  <T> CompletableFuture<T> offer(Engine.Work<T> work) {
    WriteOperation<T> op = new WriteOperation<>(work, WriteOperation.Kind.REFUSABLE, time.nanos());
    enqueue(op);
    return op.done();
  }

  /**
   * As {@link #offer(Work)}; {@code first} hears the result before anybody else, in the order of
   * the commits.
   */
  <T> CompletableFuture<T> offer(Engine.Work<T> work, Consumer<T> first) {
    WriteOperation<T> op = new WriteOperation<>(work, WriteOperation.Kind.REFUSABLE, time.nanos());
    CompletableFuture<T> heard =
        op.done().thenApply(result -> tell(first, result)); // before it is queued, or order is lost
    enqueue(op);
    return heard;
  }

  private static <T> T tell(Consumer<T> first, T result) {
    first.accept(result);
    return result;
  }

  /** A change that nobody waits for; it is tried again when the disk was full. */
  void later(Engine.Work<?> work) {
    enqueue(new WriteOperation<>(work, WriteOperation.Kind.LAZY, time.nanos()));
  }

  /** Tries whether a disk that was full takes something again. Does not wait. */
  void probe() {
    Engine.Work<Integer> write =
        tx ->
            tx.sql()
                .update(
                    "insert into meta (name, value) values ('probe', ?)"
                        + " on conflict (name) do update set value = excluded.value",
                    time.now().toString());
    enqueue(new WriteOperation<>(write, WriteOperation.Kind.REFUSABLE, time.nanos()));
  }

  /** A change that is durable on return. Blocks; an interrupt does not cut it short. */
  <T> T call(Engine.Work<T> work) throws StoreException {
    if (Thread.currentThread() == thread) {
      throw new IllegalStateException("the writer waits for itself");
    }
    WriteOperation<T> op = new WriteOperation<>(work, WriteOperation.Kind.AWAITED, time.nanos());
    enqueue(op);
    try {
      return op.done().join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case StoreException failure -> throw new StoreException(failure.failure(), failure);
        case null, default -> throw new IllegalStateException("the store failed", e.getCause());
      }
    }
  }

  private void enqueue(WriteOperation<?> op) {
    String dead = failStop.cause();
    if (dead != null) {
      op.done().completeExceptionally(io(dead));
    } else if (stopping) {
      op.done().completeExceptionally(StoreException.overloaded("the store is closed", 5));
    } else if (!queue.offer(op)) {
      op.done()
          .completeExceptionally(StoreException.overloaded("the queue of the store is full", 1));
    } else if (stopping && !thread.isAlive()) {
      failQueue(
          StoreException.overloaded(
              "the store is closed", 5)); // it came in behind the writer's last look
    }
  }

  /** Refuses what has waited too long for its turn. Called by the watch. */
  void refuseLate() {
    long now = time.nanos();
    queue.forEach(
        op -> {
          boolean late = now - op.since() > WAIT_MAX.toNanos();
          if (op.kind() == WriteOperation.Kind.REFUSABLE && late && op.claim()) {
            op.done().completeExceptionally(StoreException.overloaded("the disk is too slow", 2));
          }
        });
  }

  /** Frees the pages of the database that it keeps in memory, when it next has nothing to do. */
  void shrink() {
    shrinkWanted = true;
  }

  void refuseWhile(BooleanSupplier asked) {
    refusing = asked;
  }

  /** Writes what is queued and ends the thread. */
  void stop() {
    stopping = true;
    queue.wake();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    failQueue(StoreException.overloaded("the store is closed", 5));
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    try {
      while (failStop.cause() == null) {
        List<WriteOperation<?>> batch = take();
        if (batch.isEmpty()) {
          if (stopping && queue.isEmpty()) {
            break;
          }
          if (shrinkWanted) {
            shrinkWanted = false;
            freePages();
          }
        } else {
          commit(batch);
        }
        listener.alive();
      }
    } catch (RuntimeException | Error e) {
      // Nobody else can write: a server whose writer is gone must not seem to live.
      LOG.error("store: the writer died", e);
      failStop.end(GAVE_UP, "the store's writer died: " + e);
      throw e;
    } finally {
      stopping = true;
      String dead = failStop.cause();
      failQueue(dead == null ? StoreException.overloaded("the store is closed", 5) : io(dead));
    }
  }

  private void freePages() {
    try {
      sql.of("pragma shrink_memory").execute();
    } catch (SQLException e) {
      LOG.debug("store: its pages stay in memory: {}", e.getMessage());
    }
  }

  /** The next batch; empty when there was nothing to do for a while. */
  private List<WriteOperation<?>> take() {
    List<WriteOperation<?>> batch = new ArrayList<>();
    int max = config.commitEventsMax();
    while (!full && !retained.isEmpty() && batch.size() < max) {
      batch.add(retained.removeFirst());
    }
    if (!stopping && batch.isEmpty()) {
      queue.await(1, IDLE_NANOS);
    }
    int likely = Math.min(lastBatch, max);
    for (int half = 0; half < 2 && likely >= GATHER_FROM && !stopping; half++) {
      if (queue.awaited() < likely) {
        queue.await(likely, config.commitWaitMax().toNanos() / 2);
      }
    }
    drain(batch, max);
    lastBatch = (int) batch.stream().filter(op -> op.kind() != WriteOperation.Kind.LAZY).count();
    return batch;
  }

  private void drain(List<WriteOperation<?>> batch, int max) {
    while (batch.size() < max) {
      WriteOperation<?> op = queue.poll();
      if (op == null) {
        return;
      }
      add(op, batch);
    }
  }

  private static void add(WriteOperation<?> op, List<WriteOperation<?>> batch) {
    if (op.claim()) {
      batch.add(op);
    }
  }

  private void commit(List<WriteOperation<?>> batch) {
    turn.lock();
    busySince = time.nanos();
    busy = true;
    try {
      if (!attempt(batch) && batch.size() > 1 && failStop.cause() == null && !full) {
        for (WriteOperation<?> op : batch) {
          attempt(List.of(op));
        }
      }
    } finally {
      busy = false;
      turn.unlock();
    }
    listener.ended(time.nanos() - busySince);
    String dead = failStop.cause();
    if (dead != null) {
      batch.forEach(op -> op.fail(io(dead))); // committed or not: nothing is confirmed any more
    }
    batch.forEach(WriteOperation::complete);
  }

  /**
   * Returns false when the transaction was rolled back and its operations may be tried one by one.
   */
  private boolean attempt(List<WriteOperation<?>> batch) {
    Transaction tx = new Transaction(sql, counters);
    try {
      tx.begin();
      for (WriteOperation<?> op : batch) {
        op.run(tx);
      }
      if (refusing.getAsBoolean()) {
        throw new SQLiteException("a drill refuses the write", SQLiteErrorCode.SQLITE_FULL);
      }
      tx.count(Transaction.COMMITS, 1);
      tx.commit();
      full = false;
    } catch (SQLException e) {
      tx.rollBack();
      refuse(batch, e);
      return false;
    } catch (RuntimeException e) {
      tx.rollBack();
      batch.forEach(op -> op.fail(e));
      return false;
    }
    tx.publish();
    return true;
  }

  private void refuse(List<WriteOperation<?>> batch, SQLException e) {
    Throwable told =
        switch (DiskErrors.of(e)) {
          case REFUSED -> {
            if (!full) {
              LOG.warn("store: the disk refuses writes: {}", e.getMessage());
            }
            full = true;
            yield StoreException.overloaded(TAKES_NOTHING, 30);
          }
          case FAIL_STOP -> {
            failStop.end(StartRefusedException.IO, "holdfast.db: " + e.getMessage());
            yield io(e.getMessage());
          }
          case DAMAGED -> {
            failStop.end(StartRefusedException.DAMAGED, "holdfast.db: " + e.getMessage());
            yield io(e.getMessage());
          }
          case OTHER -> io(e.getMessage());
        };
    for (WriteOperation<?> op : batch) {
      if (full && op.kind() == WriteOperation.Kind.LAZY) {
        retain(op);
      } else {
        op.fail(told);
      }
    }
  }

  private void retain(WriteOperation<?> op) {
    if (retained.size() >= RETAINED_MAX) {
      retained.removeFirst();
    }
    retained.addLast(op);
  }

  private void failQueue(StoreException failure) {
    for (WriteOperation<?> op = queue.poll(); op != null; op = queue.poll()) {
      if (op.claim()) {
        op.done().completeExceptionally(failure);
      }
    }
  }

  static StoreException io(@Nullable String message) {
    return new StoreException(Failure.of(FailureCode.IO, String.valueOf(message)));
  }
}
