package dev.holdfast.store.engine;

import dev.holdfast.api.FailureCode;
import dev.holdfast.libc.ProcessCalls;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the whole database some seconds after each start and once a week, table by table, on a
 * thread and a connection of its own, with what the others leave of the processors. While a table
 * is read the log cannot start anew: when it grows too long meanwhile, the reading is broken off
 * and tried again, ever later.
 */
final class BackgroundCheck {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCheck.class);
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final long PERIODS_PER_WEEK = Duration.ofDays(7).dividedBy(PERIOD);
  private static final int PERIODS_AFTER_BREAK = 12;
  private static final int PERIODS_AFTER_BREAK_MAX = 720;
  private static final long LOG_FRAMES_MAX = 24L * 1024 * 1024 / 4096;

  private final Statements sql;
  private final Engine engine;
  private final LongSupplier logFrames;
  private final FailStop failStop;
  private final StoreWatch watch;

  /** What is still to be read of this round. Used by the watch's thread alone. */
  private final Deque<String> left = new ArrayDeque<>();

  private int pause;
  private int nextPause = PERIODS_AFTER_BREAK;
  private volatile boolean reading;
  private volatile boolean stopping;

  /** {@code logFrames}: how long the log is. */
  BackgroundCheck(Statements sql, Engine engine, LongSupplier logFrames, FailStop failStop) {
    this.sql = sql;
    this.engine = engine;
    this.logFrames = logFrames;
    this.failStop = failStop;
    this.watch = new StoreWatch("holdfast-store-check", PERIOD, this::look, failStop);
  }

  void start() {
    watch.start();
  }

  void stop() throws SQLException {
    stopping = true;
    sql.interrupt();
    watch.stop();
    sql.close();
  }

  /** Called several times a second by another thread. */
  void yieldToLog() {
    if (reading && logFrames.getAsLong() > LOG_FRAMES_MAX) {
      sql.interrupt();
    }
  }

  private void look(int number) {
    if (number == 1) {
      ProcessCalls.yieldToOthers();
    }
    try {
      if ((number - 1) % PERIODS_PER_WEEK == 0) {
        left.clear();
        left.addAll(
            sql.list(
                row -> row.getString(1), "select name from sqlite_schema where type = 'table'"));
      }
      if (pause > 0) {
        pause--;
      } else {
        checkAll();
      }
    } catch (SQLException e) {
      sql.forget();
      if (DiskErrors.of(e) == DiskErrors.Verdict.DAMAGED) {
        failStop.end(StartRefusedException.DAMAGED, "holdfast.db: " + e.getMessage());
      } else {
        LOG.debug("store: the check of the database goes on later: {}", e.getMessage());
        pause = nextPause;
        nextPause = Math.min(2 * nextPause, PERIODS_AFTER_BREAK_MAX);
      }
    }
  }

  private void checkAll() throws SQLException {
    for (String table = left.peek(); table != null && !stopping; table = left.peek()) {
      reading = true;
      Integrity found;
      try {
        found = Integrity.ofTable(sql, table);
      } finally {
        reading = false;
      }
      left.remove();
      nextPause = PERIODS_AFTER_BREAK;
      if (!found.isWhole()) {
        mend(found);
      }
    }
  }

  private void mend(Integrity found) {
    try {
      Set<String> mended = engine.call(tx -> found.mend(tx.sql()));
      if (mended.isEmpty()) {
        end(found);
        return;
      }
      engine
          .repairs()
          .add(
              Repairs.What.INDEX,
              mended.size(),
              "indexes lacked rows of their tables and were made anew: "
                  + String.join(", ", mended));
      engine.mended();
    } catch (StoreException e) {
      if (e.failure().code() == FailureCode.IO) {
        end(found); // two rows with one key: nobody knows which of them is the right one
      } else {
        LOG.warn("store: damaged indexes are mended with the next check: {}", e.getMessage());
      }
    }
  }

  private void end(Integrity found) {
    failStop.end(
        StartRefusedException.DAMAGED,
        "holdfast.db is damaged: " + found.text() + "; restore a backup");
  }
}
