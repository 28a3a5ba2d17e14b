package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place from which code of a plugin is called: each call on a thread of its own that has
 * the plugin's class loader, so that nothing of it stays behind in a thread of the server, and one
 * that hangs keeps nobody. Knows whom to blame. Thread-safe.
 */
final class PluginCalls {
  /** Calls that run at once, and in places of their own as many jobs. */
  static final int THREADS_MAX = 64;

  /** As many as a channel may have accounts: each takes its place for as long as it listens. */
  private static final int LISTENS_MAX = 1000;

  /** So many throws within {@link #THROWS_WITHIN}, or so many calls that hang, are too many. */
  static final int BLAME_MAX = 5;

  static final Duration THROWS_WITHIN = Duration.ofMinutes(5);

  /** Whoever has not ended so long after an interrupt hangs. */
  static final Duration REACTION_MAX = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(PluginCalls.class);

  private final String id;
  private final ClassLoader loader;
  private final Time time;
  private final Consumer<String> onTooMuch;
  private final PluginTexts texts;
  private final Places calls = new Places("calls", THREADS_MAX);
  private final Places jobs = new Places("jobs", THREADS_MAX);
  private final Places listens = new Places("listening accounts", LISTENS_MAX);
  private final AtomicInteger numbers = new AtomicInteger();
  private final Set<Call<?>> running = ConcurrentHashMap.newKeySet();
  private final Deque<Long> throwsAtNanos = new ArrayDeque<>();
  private volatile boolean closed;

  /** What of one kind runs at once. */
  private record Places(String kind, int max, Semaphore free) {
    Places(String kind, int max) {
      this(kind, max, new Semaphore(max));
    }
  }

  /**
   * @param onTooMuch hears once or more, in words for the operator, that this plugin should be
   *     parked; must return at once
   * @param texts makes of what it throws and says what may be shown
   */
  PluginCalls(
      String id, ClassLoader loader, Time time, Consumer<String> onTooMuch, PluginTexts texts) {
    this.id = id;
    this.loader = loader;
    this.time = time;
    this.onTooMuch = onTooMuch;
    this.texts = texts;
  }

  /** Makes of what the plugin throws and says what may be shown. */
  PluginTexts texts() {
    return texts;
  }

  /**
   * Calls. Blocks; an interrupt is passed on, and the plugin is not waited for then.
   *
   * @param what is called, for logs and threads
   * @param limit how long it may take
   * @throws CallFailedException when the plugin threw one: its data, without its cause
   * @throws PluginFailedException when it threw anything else, took too long, or has no place left
   */
  <T> T call(String what, Duration limit, Callable<T> code)
      throws PluginFailedException, CallFailedException, InterruptedException {
    Call<T> call = begin(calls, what, _ -> code.call());
    try {
      if (!call.ended.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        call.interrupt();
        String text = "%s took longer than %d s".formatted(what, limit.toSeconds());
        LOG.warn("plugin {}: {}", id, text);
        throw new PluginFailedException(text);
      }
    } catch (InterruptedException e) {
      call.interrupt();
      throw e;
    }
    return call.outcome();
  }

  /** Calls what goes on until it is interrupted, and blocks for as long. */
  <T> T listen(String what, Callable<T> code)
      throws PluginFailedException, CallFailedException, InterruptedException {
    Call<T> call = begin(listens, what, _ -> code.call());
    try {
      call.ended.await();
    } catch (InterruptedException e) {
      call.interrupt();
      throw e;
    }
    return call.outcome();
  }

  /** What runs on a thread of a plugin. */
  @FunctionalInterface
  interface Code<T> {
    /**
     * @param isInterrupted whether it is to end, also when code of the plugin swallowed the
     *     interrupt
     */
    T run(BooleanSupplier isInterrupted) throws Exception;
  }

  /** Begins a job, which goes on until it is interrupted. Returns at once. */
  <T> Call<T> begin(String what, Code<T> code) throws PluginFailedException {
    return begin(jobs, what, code);
  }

  private <T> Call<T> begin(Places places, String what, Code<T> code) throws PluginFailedException {
    if (!places.free.tryAcquire()) {
      throw PluginFailedException.notBegun(
          "%d %s of it are running already".formatted(places.max, places.kind));
    }
    Call<T> call = new Call<>(places, what, code);
    running.add(call);
    if (closed) { // asked now: whoever closes looks at what runs after that
      call.over();
      throw PluginFailedException.notBegun("the plugin was stopped");
    }
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name("plugin-" + id + "-" + numbers.incrementAndGet() + " " + what)
            .unstarted(call);
    thread.setContextClassLoader(loader);
    call.thread = thread;
    try {
      thread.start();
    } catch (Throwable e) { // no thread could be had: that is the machine's fault
      call.over();
      Fatal.check(e);
      throw PluginFailedException.notBegun("no thread could be started");
    }
    return call;
  }

  /** What still runs long after it was told to end. */
  int hanging() {
    return (int) running.stream().filter(Call::isHanging).count();
  }

  /** Called now and then. */
  void look() {
    int hanging = hanging();
    if (hanging >= BLAME_MAX) {
      onTooMuch.accept(hanging + " of its calls do not end");
    }
  }

  /** Interrupts everything, lets nothing begin, and waits. Returns the threads that did not end. */
  List<String> close(Duration patience) throws InterruptedException {
    closed = true;
    running.forEach(Call::interrupt);
    long end = time.nanos() + patience.toNanos();
    for (Call<?> call : running) {
      long left = Math.max(0, end - time.nanos());
      boolean _ = call.ended.await(left, TimeUnit.NANOSECONDS);
    }
    return running.stream().map(call -> call.what).sorted().toList();
  }

  /** Writes down what it threw, and counts it. */
  void blame(String what, Throwable thrown) {
    boolean isOutOfMemory = isOutOfMemory(thrown);
    if (isOutOfMemory) { // told first: to write a log may take more than there is left
      onTooMuch.accept("it ran out of memory in " + what);
    }
    LOG.error("plugin {}: {} threw {}", id, what, ThrownText.of(thrown, texts.redact()));
    long now = time.nanos();
    int count;
    synchronized (throwsAtNanos) {
      throwsAtNanos.addLast(now);
      while (now - throwsAtNanos.getFirst() > THROWS_WITHIN.toNanos()) {
        throwsAtNanos.removeFirst();
      }
      count = throwsAtNanos.size();
    }
    if (count >= BLAME_MAX && !isOutOfMemory) {
      onTooMuch.accept(
          "it threw %d times within %d min, the last time %s in %s"
              .formatted(
                  count, THROWS_WITHIN.toMinutes(), thrown.getClass().getSimpleName(), what));
    }
  }

  /**
   * The plugin is blamed and the server goes on: what its code has asked for and not got nobody
   * else misses. Whoever else gets none ends the server.
   */
  private static boolean isOutOfMemory(Throwable thrown) {
    try {
      return Fatal.isOutOfMemory(thrown);
    } catch (Throwable _) { // its causes are the plugin's own code
      return thrown instanceof OutOfMemoryError;
    }
  }

  /** One call on its thread. */
  final class Call<T> implements Runnable {
    private final Places places;
    private final String what;
    private final Code<T> code;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private @Nullable T result;
    private @Nullable Failure failed;
    private @Nullable PluginFailedException threw;
    private volatile boolean interrupted;
    private volatile long interruptedNanos;

    private Call(Places places, String what, Code<T> code) {
      this.places = places;
      this.what = what;
      this.code = code;
    }

    @Override
    public void run() {
      try {
        if (interrupted) { // before its thread was there to be interrupted
          threw = PluginFailedException.notBegun(what + " was not begun");
        } else {
          result = code.run(() -> interrupted);
        }
      } catch (CallFailedException e) {
        failed = texts.of(e.failure());
      } catch (InterruptedException e) {
        threw = new PluginFailedException(what + " was interrupted");
      } catch (Throwable e) {
        threw =
            new PluginFailedException(
                "%s threw %s".formatted(what, ThrownText.head(e, texts.redact())));
        if (!interrupted) {
          blame(what, e);
        }
      } finally {
        over();
      }
    }

    private void over() {
      running.remove(this);
      places.free.release();
      ended.countDown();
    }

    void interrupt() {
      if (!interrupted) {
        interruptedNanos = time.nanos();
        interrupted = true;
      }
      Thread started = thread;
      if (started != null) {
        started.interrupt();
      }
    }

    private boolean isHanging() {
      return interrupted && time.nanos() - interruptedNanos > REACTION_MAX.toNanos();
    }

    private T outcome() throws PluginFailedException, CallFailedException {
      Failure failure = failed;
      if (failure != null) {
        throw new CallFailedException(failure);
      }
      PluginFailedException thrown = threw;
      if (thrown != null) {
        throw thrown;
      }
      T value = result;
      if (value == null) {
        throw new PluginFailedException(what + " returned null");
      }
      return value;
    }
  }
}
