package dev.holdfast.time;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Does something when a time is over, except behind a {@link Standstill}. Thread-safe. */
public final class TimeLimit implements AutoCloseable {
  private final Time time;
  private final UnaryOperator<Duration> more;
  private final Runnable task;
  private long dueNanos;
  private Time.@Nullable Timer timer;
  private boolean expired;
  private boolean closed;

  private TimeLimit(Time time, UnaryOperator<Duration> more, Runnable task) {
    this.time = time;
    this.more = more;
    this.task = task;
  }

  /**
   * Begins now.
   *
   * @param more how much longer the limit is behind a standstill of at least so long
   * @param task runs at most once, and not after {@link #close} has returned; must not block
   */
  public static TimeLimit start(
      Time time, Duration limit, UnaryOperator<Duration> more, Runnable task) {
    TimeLimit started = new TimeLimit(time, more, task);
    started.expireAfter(limit);
    return started;
  }

  private synchronized void expireAfter(Duration wait) {
    dueNanos = time.nanos() + wait.toNanos();
    timer = time.after(wait, this::expire);
  }

  private synchronized void expire() {
    if (closed) {
      return;
    }
    Duration stood = Standstill.since(dueNanos, time);
    if (stood.isPositive()) {
      expireAfter(more.apply(stood));
      return;
    }
    expired = true;
    task.run();
  }

  /** Whether the task has begun. */
  public synchronized boolean isExpired() {
    return expired;
  }

  /** Takes the limit back. */
  @Override
  public synchronized void close() {
    closed = true;
    Time.Timer set = timer;
    if (set != null) {
      set.cancel();
    }
  }
}
