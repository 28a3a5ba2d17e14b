package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the write-ahead log into the database on a thread of its own, so that no commit waits for
 * it. Only when the log nears its cap is the writer held up, for the little that is then left: else
 * a busy writer would never let the log start anew.
 */
final class Checkpoints implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
  private static final int PAGE_BYTES = 4096;

  /** From here on a pass is worth its fsync. */
  private static final long FRAMES_WORTH = 8L * 1024 * 1024 / PAGE_BYTES;

  /**
   * From here on the writer waits for a pass. The cap is 64 MiB; commits of large batches still fit
   * under it.
   */
  private static final long FRAMES_HOLD = 40L * 1024 * 1024 / PAGE_BYTES;

  private static final int COMMITS_PER_LOOK = 16;
  private static final long IDLE_MILLIS = 1000;

  private final Statements sql;
  private final Lock writerTurn;
  private final FailStop failStop;
  private final Semaphore wake = new Semaphore(0);
  private final Thread thread;
  private volatile boolean stopping;
  private volatile long frames;
  private int commits;

  private record State(long frames, long copied) {
    long left() {
      return frames - copied;
    }
  }

  Checkpoints(Statements sql, Lock writerTurn, FailStop failStop) {
    this.sql = sql;
    this.writerTurn = writerTurn;
    this.failStop = failStop;
    this.thread = Thread.ofPlatform().name("holdfast-store-checkpoint").unstarted(this);
  }

  void start() {
    thread.start();
  }

  /** Called by the writer after each batch. */
  void committed() {
    if (++commits % COMMITS_PER_LOOK == 0) {
      wake.release();
    }
  }

  /** How long the log is, in pages, as of the last look. */
  long frames() {
    return frames;
  }

  void stop() throws SQLException {
    stopping = true;
    wake.release();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    sql.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    while (!stopping && failStop.cause() == null) {
      try {
        if (wake.tryAcquire(IDLE_MILLIS, TimeUnit.MILLISECONDS)) {
          wake.drainPermits();
        }
        look();
      } catch (InterruptedException _) {
        return;
      } catch (SQLException e) {
        failed(e);
      }
    }
  }

  private void look() throws SQLException {
    State state = pragma("pragma wal_checkpoint(noop)");
    frames = state.frames();
    if (state.left() < FRAMES_WORTH) {
      return;
    }
    state = pragma("pragma wal_checkpoint(passive)");
    if (state.frames() > FRAMES_HOLD && !stopping) {
      pragma("pragma wal_checkpoint(passive)"); // what came during the long pass
      writerTurn.lock();
      try {
        pragma("pragma wal_checkpoint(passive)");
      } finally {
        writerTurn.unlock();
      }
    }
  }

  private State pragma(String text) throws SQLException {
    List<State> state = sql.list(row -> new State(row.getLong(2), row.getLong(3)), text);
    return state.getFirst();
  }

  private void failed(SQLException e) {
    sql.forget();
    switch (DiskErrors.of(e)) {
      case FAIL_STOP ->
          failStop.end(StartRefusedException.IO, "checkpoint of holdfast.db: " + e.getMessage());
      case DAMAGED -> failStop.end(StartRefusedException.DAMAGED, "holdfast.db: " + e.getMessage());
      case REFUSED, OTHER ->
          LOG.warn("store: a checkpoint failed and will be retried: {}", e.getMessage());
    }
  }
}
