package dev.holdfast.supervision;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs long-lived tasks, each on a thread of its own, and starts again what crashes. Thread-safe.
 */
public final class Supervisor {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);

  private final RestartLimit limit;
  private final Time time;
  private final MeterRegistry registry;
  private final Consumer<ChildSpec> onGiveUp;
  private final Set<Child> children = ConcurrentHashMap.newKeySet();

  /**
   * {@code onGiveUp} runs on the thread of the child that crashed too often; the process usually
   * ends there.
   */
  public Supervisor(
      RestartLimit limit, Time time, MeterRegistry registry, Consumer<ChildSpec> onGiveUp) {
    this.limit = limit;
    this.time = time;
    this.registry = registry;
    this.onGiveUp = onGiveUp;
  }

  /** Starts a child and returns at once. */
  public Child start(ChildSpec spec, ChildTask task) {
    Counter restarts = restarts(spec); // before the first crash, so that a rate can be read
    Child child = new Child(spec);
    children.add(child);
    Thread.Builder threads =
        spec.platformThread() ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
    Thread thread = threads.name(spec.name()).unstarted(() -> live(child, task, restarts));
    child.runsOn(thread);
    thread.start();
    return child;
  }

  /** Those that are not over, in no order. */
  public List<Child> children() {
    return List.copyOf(children);
  }

  /**
   * Interrupts every child and waits for all of them; the names of those that are still there after
   * {@code budget}.
   */
  public List<String> stopAll(Duration budget) throws InterruptedException {
    long end = time.nanos() + budget.toNanos();
    List<Child> all = children();
    all.forEach(Child::stop);
    for (Child child : all) {
      child.awaitEnd(Duration.ofNanos(Math.max(0, end - time.nanos())));
    }
    return children().stream().map(child -> child.spec().name()).toList();
  }

  private void live(Child child, ChildTask task, Counter restarts) {
    try {
      child.isNow(runs(child, task, restarts));
    } finally {
      children.remove(child);
    }
    if (child.state() == Child.State.GIVEN_UP) {
      onGiveUp.accept(child.spec());
    }
  }

  private Child.State runs(Child child, ChildTask task, Counter restarts) {
    RestartLimit.History history = RestartLimit.History.CLEAN;
    while (!child.isStopping()) {
      Throwable crash = crashOf(task);
      if (crash == null) {
        return child.isStopping() ? Child.State.STOPPED : Child.State.ENDED;
      }
      Fatal.check(crash);
      if (child.isStopping()) {
        return Child.State.STOPPED;
      }
      RestartLimit.Decision decision = limit.afterCrash(history, time.nanos());
      history = decision.history();
      switch (decision) {
        case RestartLimit.GiveUp _ -> {
          LOG.error("{}: crashed again ({}), given up", child.spec().name(), Crash.describe(crash));
          LOG.debug("{}: the crash", child.spec().name(), crash);
          return Child.State.GIVEN_UP;
        }
        case RestartLimit.Restart(Duration wait, _) -> {
          LOG.error(
              "{}: crashed ({}), restart {} of {} in {} ms",
              child.spec().name(),
              Crash.describe(crash),
              history.crashes(),
              limit.maxRestarts(),
              wait.toMillis());
          LOG.debug("{}: the crash", child.spec().name(), crash);
          restarts.increment();
          if (!rested(child, wait)) {
            return Child.State.STOPPED;
          }
        }
      }
    }
    return Child.State.STOPPED;
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

  private boolean rested(Child child, Duration wait) {
    child.isNow(Child.State.WAITING);
    try {
      time.sleep(wait);
    } catch (InterruptedException e) {
      return !child.isStopping();
    }
    child.isNow(Child.State.RUNNING);
    return !child.isStopping();
  }

  private Counter restarts(ChildSpec spec) {
    return Counter.builder("holdfast.restarts")
        .description("crashed parts that were started again")
        .tag("child", spec.kind())
        .register(registry);
  }
}
