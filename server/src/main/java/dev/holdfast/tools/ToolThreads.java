package dev.holdfast.tools;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The threads that tools run on. They are the machine's own: a tool that computes for ever on a
 * virtual thread would take a carrier from all others. Each call is left when its time is over,
 * whether or not the tool reacts. Thread-safe.
 */
final class ToolThreads {
  /** How many tools run at once; more wait for a moment and are refused then. */
  static final int RUNNING_MAX = 256;

  private static final Duration PLACE_WAIT = Duration.ofSeconds(5);

  /** A tool that reacts has ended its children within this time. */
  private static final Duration REACTION_MAX = Duration.ofSeconds(30);

  private final Time time;
  private final Semaphore places = new Semaphore(RUNNING_MAX);
  private final Set<Run> abandoned = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("tool-", 0).factory());

  ToolThreads(Time time) {
    this.time = time;
  }

  /**
   * Runs the body on another thread. Blocks, for a moment also for a place.
   *
   * @param onEnd runs once, when the body has ended, however late, or when it is never begun
   * @throws TimeoutException when it did not end within {@code timeout}; it was interrupted
   * @throws RejectedExecutionException when there is no place
   * @throws ExecutionException when it threw
   * @throws InterruptedException when the caller was interrupted; so was the body
   */
  <T> T run(Callable<T> body, Duration timeout, Runnable onEnd)
      throws TimeoutException, ExecutionException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(body);
    Run run = new Run(task, onEnd);
    boolean isBegun = false;
    try {
      if (!places.tryAcquire(PLACE_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new RejectedExecutionException(RUNNING_MAX + " tools are already running");
      }
      isBegun = begin(run);
    } finally {
      if (!isBegun) {
        onEnd.run();
      }
    }
    try {
      return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } finally {
      task.cancel(true);
      run.abandon();
    }
  }

  private boolean begin(Run run) {
    try {
      threads.execute(run);
      return true;
    } catch (RuntimeException | Error e) {
      places.release();
      throw e;
    }
  }

  /** How many calls still run long after they were told to stop. */
  int hanging() {
    long now = time.nanos();
    return (int)
        abandoned.stream().filter(run -> now - run.abandonedNanos > REACTION_MAX.toNanos()).count();
  }

  /** One call on its thread. */
  private final class Run implements Runnable {
    private final Runnable task;
    private final Runnable onEnd;
    private volatile long abandonedNanos;
    private volatile boolean over;

    Run(Runnable task, Runnable onEnd) {
      this.task = task;
      this.onEnd = onEnd;
    }

    @Override
    public void run() {
      try {
        task.run();
      } finally {
        over = true;
        abandoned.remove(this);
        places.release();
        onEnd.run();
      }
    }

    /** Nobody waits for it any more. */
    void abandon() {
      abandonedNanos = time.nanos();
      abandoned.add(this);
      if (over) {
        abandoned.remove(this);
      }
    }
  }
}
