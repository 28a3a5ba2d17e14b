package dev.holdfast.supervision;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A supervised thread from its start to its end. Thread-safe. */
public final class SupervisedThread {
  /** {@code ENDED}: its work was over. {@code GIVEN_UP}: it crashed too often. */
  public enum State {
    RUNNING,
    WAITING,
    ENDED,
    STOPPED,
    GIVEN_UP
  }

  private final ChildSpec spec;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile State state = State.RUNNING;
  private volatile boolean stopping;
  private volatile boolean ailing;
  private volatile @Nullable Thread thread;
  private volatile @Nullable Instant restartsAt;
  private volatile String lastCrash = "";

  SupervisedThread(ChildSpec spec) {
    this.spec = spec;
  }

  public ChildSpec spec() {
    return spec;
  }

  public State state() {
    return state;
  }

  /** Whether it crashed too often and has not run for long enough since. */
  public boolean isAiling() {
    return ailing;
  }

  /** When it is started again after a crash; null unless it waits for that. */
  public @Nullable Instant restartsAt() {
    return restartsAt;
  }

  /** Interrupts it and starts it no more. Does not wait: see {@link #awaitEnd}. */
  public void stop() {
    stopping = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Blocks until it is over; false when it still runs after {@code wait}. */
  public boolean awaitEnd(Duration wait) throws InterruptedException {
    return over.await(wait.toNanos(), TimeUnit.NANOSECONDS);
  }

  String lastCrash() {
    return lastCrash;
  }

  void crashed(String what) {
    lastCrash = what;
  }

  void isAiling(boolean now) {
    ailing = now;
  }

  boolean isStopping() {
    return stopping;
  }

  void runsOn(Thread started) {
    thread = started;
  }

  void waitsUntil(Instant restart) {
    restartsAt = restart;
    state = State.WAITING;
  }

  void isNow(State next) {
    restartsAt = null;
    state = next;
    switch (next) {
      case ENDED, STOPPED, GIVEN_UP -> over.countDown();
      case RUNNING, WAITING -> {}
    }
  }
}
