package dev.holdfast.supervision;

import dev.holdfast.api.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
  private volatile boolean restarting;
  private volatile String lastCrash = "";
  private volatile @Nullable LastFailure lastFailure;
  private final AtomicInteger restarts = new AtomicInteger();

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

  /** How often it was started again. */
  public int restarts() {
    return restarts.get();
  }

  /** Null when it has never failed. */
  public @Nullable LastFailure lastFailure() {
    return lastFailure;
  }

  /**
   * Why a child has failed last.
   *
   * @param failure ACTOR_CRASHED with {@code restart_count}, or MAX_RESTARTS_EXCEEDED with {@code
   *     original_error} in its context
   */
  public record LastFailure(Failure failure, Instant at) {}

  void failed(Failure failure, Instant at) {
    lastFailure = new LastFailure(failure, at);
  }

  /** Has it start anew, because one that it belongs to has crashed. */
  void restart() {
    Thread running = thread;
    if (running != null && !stopping) {
      restarting = true;
      running.interrupt();
    }
  }

  /** Whether it is to start anew, once. On its own thread. */
  boolean takeRestart() {
    boolean taken = restarting && !stopping;
    if (taken) {
      restarting = false;
      boolean _ = Thread.interrupted();
    }
    return taken;
  }

  void restarted() {
    restarts.incrementAndGet();
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
