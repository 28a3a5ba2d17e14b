package dev.holdfast.agents.turn;

import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Ends a turn that runs for too long. Time in which the process stood still does not count.
 * Thread-safe.
 */
public final class TurnTimeout implements AutoCloseable {
  /** A timer that comes this much too late says that we stood still, not that the turn is slow. */
  private static final Duration STANDSTILL = Duration.ofSeconds(1);

  private final RunningTurn turn;
  private final Duration limit;
  private final Time time;
  private long dueNanos;
  private Time.@Nullable Timer timer;
  private boolean over;

  public TurnTimeout(RunningTurn turn, Duration limit, Time time) {
    this.turn = turn;
    this.limit = limit;
    this.time = time;
    endAfter(limit);
  }

  private synchronized void endAfter(Duration wait) {
    dueNanos = time.nanos() + wait.toNanos();
    timer = time.after(wait, this::end);
  }

  private synchronized void end() {
    if (over) {
      return;
    }
    Duration late = Duration.ofNanos(time.nanos() - dueNanos);
    if (late.compareTo(STANDSTILL) > 0) {
      endAfter(late.compareTo(limit) < 0 ? late : limit);
    } else {
      turn.cancel(Cancel.TIMEOUT);
    }
  }

  /** Takes the limit back. */
  @Override
  public synchronized void close() {
    over = true;
    Time.Timer set = timer;
    if (set != null) {
      set.cancel();
    }
  }
}
