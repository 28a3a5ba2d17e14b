package dev.holdfast.agents.context;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What one agent's thread does for its chat thread until it is given up: its signs of life, and a
 * fence around all that it writes. Once it is given up, whatever it still does changes nothing,
 * since another agent may be at work already. Thread-safe.
 */
public final class Epoch {
  /** A wait that others end, such as the one for a free turn. */
  public static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(10_000);

  private final Time time;
  private final boolean mayEnd;
  private final ReentrantLock writing = new ReentrantLock();
  private volatile boolean over;
  private volatile long signAt;
  private volatile long silentNanos;

  public Epoch(Time time) {
    this(time, true);
  }

  private Epoch(Time time, boolean mayEnd) {
    this.time = time;
    this.mayEnd = mayEnd;
    this.signAt = time.nanos();
  }

  /** One that never ends: many may share it, since its writes do not wait for one another. */
  public static Epoch endless(Time time) {
    return new Epoch(time, false);
  }

  /** A write, of whatever kind. {@code X}: how it fails. */
  public interface Write<T, X extends Exception> {
    T run() throws X;
  }

  /** A write without a result. */
  public interface Deed<X extends Exception> {
    void run() throws X;
  }

  /**
   * Writes, unless the thread was given up; each write is a sign of life.
   *
   * @throws EpochOverException when it was; nothing was written
   */
  public <T, X extends Exception> T write(Write<T, X> write) throws X {
    if (!mayEnd) {
      return run(write);
    }
    writing.lock();
    try {
      check();
      return run(write);
    } finally {
      writing.unlock();
    }
  }

  private <T, X extends Exception> T run(Write<T, X> write) throws X {
    T result = write.run();
    moves();
    return result;
  }

  /** As {@link #write}. */
  public <X extends Exception> void change(Deed<X> deed) throws X {
    this.<Boolean, X>write(
        () -> {
          deed.run();
          return true;
        });
  }

  /** Whether the thread was given up. */
  public boolean isOver() {
    return over;
  }

  /** To be asked before an effect on the outside. */
  public void check() {
    if (over) {
      throw new EpochOverException();
    }
  }

  /**
   * Gives the thread up. False while it writes: then it waits for the disk, as its successor would.
   * False if it is endless.
   */
  public boolean end() {
    if (!mayEnd || !writing.tryLock()) {
      return false;
    }
    try {
      over = true;
      return true;
    } finally {
      writing.unlock();
    }
  }

  /** It moves by itself: it may not be silent at all. */
  public void works() {
    waits(Duration.ZERO);
  }

  /** It waits for something that may be silent for this long. */
  public void waits(Duration silentAtMost) {
    silentNanos = silentAtMost.toNanos();
    moves();
  }

  /** A sign of life from what it waits for. */
  public void moves() {
    signAt = time.nanos();
  }

  /** For how long there has been no sign although there should have been one. */
  public Duration overdue() {
    long nanos = time.nanos() - signAt - silentNanos;
    return nanos <= 0 || writing.isLocked() ? Duration.ZERO : Duration.ofNanos(nanos);
  }
}
