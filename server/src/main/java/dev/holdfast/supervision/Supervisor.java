package dev.holdfast.supervision;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs long-lived tasks, each on a thread of its own, and starts again what crashes. One that
 * crashes too often is given up if the process cannot live without it; any other is tried again at
 * a slow pace. Thread-safe.
 */
public final class Supervisor {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);

  /** How often what crashed too often is tried again, and how long it must run to count as well. */
  static final Duration REPAIR_EVERY = Duration.ofSeconds(60);

  private final RestartLimit limit;
  private final Time time;
  private final MeterRegistry registry;
  private final CrashListener listener;
  private final Set<SupervisedThread> children = ConcurrentHashMap.newKeySet();
  private final Set<String> measured = ConcurrentHashMap.newKeySet();

  public Supervisor(RestartLimit limit, Time time, MeterRegistry registry, CrashListener listener) {
    this.limit = limit;
    this.time = time;
    this.registry = registry;
    this.listener = listener;
  }

  /** Starts a child and returns at once. */
  public SupervisedThread start(ChildSpec spec, ChildTask task) {
    Counter restarts = restarts(spec); // before the first crash, so that a rate can be read
    SupervisedThread child = new SupervisedThread(spec);
    children.add(child);
    measure(spec.kind());
    Thread.Builder threads =
        spec.platformThread() ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
    Thread thread = threads.name(spec.name()).unstarted(() -> live(child, task, restarts));
    child.runsOn(thread);
    thread.start();
    return child;
  }

  /** Those that are not over, in no order. */
  public List<SupervisedThread> children() {
    return List.copyOf(children);
  }

  /**
   * Those that crashed too often and are tried again at a slow pace, in the order of their names.
   */
  public List<ChildSpec> ailing() {
    return children.stream()
        .filter(SupervisedThread::isAiling)
        .map(SupervisedThread::spec)
        .sorted(Comparator.comparing(ChildSpec::name))
        .toList();
  }

  /**
   * Interrupts every child and waits for all of them; the names of those that are still there after
   * {@code budget}.
   */
  public List<String> stopAll(Duration budget) throws InterruptedException {
    long end = time.nanos() + budget.toNanos();
    List<SupervisedThread> all = children();
    all.forEach(SupervisedThread::stop);
    for (SupervisedThread child : all) {
      child.awaitEnd(Duration.ofNanos(Math.max(0, end - time.nanos())));
    }
    return children().stream().map(child -> child.spec().name()).toList();
  }

  private void live(SupervisedThread child, ChildTask task, Counter restarts) {
    SupervisedThread.State end = SupervisedThread.State.GIVEN_UP;
    try {
      end = runs(child, task, restarts);
    } finally {
      children.remove(child); // before anybody hears of its end
      child.isNow(end);
    }
    if (end == SupervisedThread.State.GIVEN_UP) {
      listener.gaveUp(child.spec(), child.lastCrash());
    }
  }

  private SupervisedThread.State runs(SupervisedThread child, ChildTask task, Counter restarts) {
    RestartLimit.History history = RestartLimit.History.CLEAN;
    while (!child.isStopping()) {
      Time.Timer proof = time.after(REPAIR_EVERY, () -> lasts(child));
      Throwable crash = crashOf(task);
      proof.cancel();
      if (crash == null) {
        return child.isStopping() ? SupervisedThread.State.STOPPED : SupervisedThread.State.ENDED;
      }
      Fatal.check(crash);
      if (child.isStopping()) {
        return SupervisedThread.State.STOPPED;
      }
      RestartLimit.Decision decision = limit.afterCrash(history, time.nanos());
      history = decision.history();
      LOG.debug("{}: the crash", child.spec().name(), crash);
      child.crashed(Crash.describe(crash));
      boolean tooOften = decision instanceof RestartLimit.GiveUp;
      if (tooOften && child.spec().criticality() == Criticality.CRITICAL) {
        LOG.error("{}: crashed again ({}), given up", child.spec().name(), Crash.describe(crash));
        return SupervisedThread.State.GIVEN_UP;
      }
      Duration wait = told(child, decision, crash);
      restarts.increment();
      if (!rested(child, wait)) {
        return SupervisedThread.State.STOPPED;
      }
    }
    return SupervisedThread.State.STOPPED;
  }

  /** Says what comes of the crash. Returns how long the child is to rest. */
  private Duration told(SupervisedThread child, RestartLimit.Decision decision, Throwable crash) {
    String name = child.spec().name();
    String what = Crash.describe(crash);
    if (child.isAiling()) {
      LOG.warn("{}: crashed again ({}), retrying in {} s", name, what, REPAIR_EVERY.toSeconds());
      return REPAIR_EVERY;
    }
    return switch (decision) {
      case RestartLimit.GiveUp _ -> {
        child.isAiling(true);
        listener.ailing(child.spec(), what);
        LOG.error(
            "{}: crashed too often ({}); continuing without it, retrying every {} s",
            name,
            what,
            REPAIR_EVERY.toSeconds());
        yield REPAIR_EVERY;
      }
      case RestartLimit.Restart(Duration wait, RestartLimit.History history) -> {
        LOG.error(
            "{}: crashed ({}), restart {} of {} in {} ms",
            name,
            what,
            history.crashes(),
            limit.maxRestarts(),
            wait.toMillis());
        yield wait;
      }
    };
  }

  /** It has run for a while. */
  private void lasts(SupervisedThread child) {
    if (child.isAiling() && child.state() == SupervisedThread.State.RUNNING) {
      child.isAiling(false);
      listener.recovered(child.spec());
      LOG.info("{}: running again", child.spec().name());
    }
  }

  /** An interrupt that nobody's stop has sent is a crash like any other. */
  private static @Nullable Throwable crashOf(ChildTask task) {
    try {
      task.run();
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  private boolean rested(SupervisedThread child, Duration wait) {
    child.waitsUntil(time.now().plus(wait));
    try {
      time.sleep(wait);
    } catch (InterruptedException e) {
      return !child.isStopping();
    }
    child.isNow(SupervisedThread.State.RUNNING);
    return !child.isStopping();
  }

  private Counter restarts(ChildSpec spec) {
    return Counter.builder("holdfast.restarts")
        .description("parts that crashed and were restarted")
        .tag("child", spec.kind())
        .register(registry);
  }

  /** Several children may be of one kind. */
  private void measure(String kind) {
    if (!measured.add(kind)) {
      return;
    }
    Gauge.builder("holdfast.child.up", this, all -> all.isAiling(kind) ? 0 : 1)
        .description("0 for a part that crashed too often and is retried slowly")
        .tag("child", kind)
        .register(registry);
  }

  private boolean isAiling(String kind) {
    return ailing().stream().anyMatch(spec -> spec.kind().equals(kind));
  }
}
