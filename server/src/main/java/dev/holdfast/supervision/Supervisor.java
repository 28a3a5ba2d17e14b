package dev.holdfast.supervision;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
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

  /** What crashes sooner at its first run has failed to start. */
  private static final Duration START = Duration.ofSeconds(1);

  private final RestartLimit limit;

  /** How often what crashed too often is tried again, and how long it must run to count as well. */
  private final Duration repair;

  private final Time time;
  private final MeterRegistry registry;
  private final CrashListener listener;
  private final Set<SupervisedThread> children = ConcurrentHashMap.newKeySet();
  private final List<SupervisorGroup> groups = new CopyOnWriteArrayList<>();
  private final Set<String> measured = ConcurrentHashMap.newKeySet();

  public Supervisor(
      SupervisionConfig config, Time time, MeterRegistry registry, CrashListener listener) {
    this.limit = config.restarts();
    this.repair = config.repair();
    this.time = time;
    this.registry = registry;
    this.listener = listener;
  }

  /** A group of children that are restarted as its strategy says. */
  public SupervisorGroup group(String name, Strategy strategy, Criticality criticality) {
    SupervisorGroup group = new SupervisorGroup(name, strategy, criticality, limit);
    groups.add(group);
    return group;
  }

  /** In the order in which they were made. */
  public List<SupervisorGroup> groups() {
    return List.copyOf(groups);
  }

  /** Starts a child by itself and returns at once. */
  public SupervisedThread start(ChildSpec spec, ChildTask task) {
    return start(null, spec, task);
  }

  /** Starts a child of a group and returns at once. */
  public SupervisedThread start(@Nullable SupervisorGroup group, ChildSpec spec, ChildTask task) {
    for (String need : spec.needs()) {
      if (children.stream().noneMatch(child -> child.spec().kind().equals(need))) {
        throw new IllegalStateException(spec.name() + " needs " + need + ", which is not there");
      }
    }
    Counter restarts = restarts(spec); // before the first crash, so that a rate can be read
    SupervisedThread child = new SupervisedThread(spec);
    children.add(child);
    if (group != null) {
      group.add(child);
    }
    measure(spec.kind());
    Thread.Builder threads =
        spec.platformThread() ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
    Thread thread = threads.name(spec.name()).unstarted(() -> live(group, child, task, restarts));
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
   * Interrupts every child and waits for all of them, those first that no other one needs; the
   * names of those that are still there after {@code budget}.
   */
  public List<String> stopAll(Duration budget) throws InterruptedException {
    long end = time.nanos() + budget.toNanos();
    List<SupervisedThread> left = new ArrayList<>(children());
    while (!left.isEmpty()) {
      Set<String> needed =
          left.stream().flatMap(child -> child.spec().needs().stream()).collect(Collectors.toSet());
      List<SupervisedThread> next =
          left.stream().filter(child -> !needed.contains(child.spec().kind())).toList();
      List<SupervisedThread> now = next.isEmpty() ? List.copyOf(left) : next;
      now.forEach(SupervisedThread::stop);
      for (SupervisedThread child : now) {
        child.awaitEnd(Duration.ofNanos(Math.max(0, end - time.nanos())));
      }
      left.removeAll(now);
    }
    return children().stream().map(child -> child.spec().name()).toList();
  }

  private void live(
      @Nullable SupervisorGroup group, SupervisedThread child, ChildTask task, Counter restarts) {
    SupervisedThread.State end = SupervisedThread.State.GIVEN_UP;
    try {
      end = runs(group, child, task, restarts);
    } finally {
      children.remove(child); // before anybody hears of its end
      if (group != null) {
        group.remove(child);
      }
      child.isNow(end);
    }
    if (end == SupervisedThread.State.GIVEN_UP) {
      listener.gaveUp(child.spec(), child.lastCrash());
    }
  }

  private SupervisedThread.State runs(
      @Nullable SupervisorGroup group, SupervisedThread child, ChildTask task, Counter restarts) {
    RestartLimit.History history = RestartLimit.History.CLEAN;
    boolean first = true;
    while (!child.isStopping()) {
      long begunNanos = time.nanos();
      Time.Timer proof = time.after(repair, () -> lasts(child));
      Throwable crash = crashOf(task);
      proof.cancel();
      if (child.takeRestart()) {
        LOG.info("{}: started again with its group", child.spec().name());
        restarts.increment();
        child.restarted();
        continue;
      }
      if (crash == null) {
        return child.isStopping() ? SupervisedThread.State.STOPPED : SupervisedThread.State.ENDED;
      }
      Fatal.check(crash);
      if (child.isStopping()) {
        return SupervisedThread.State.STOPPED;
      }
      boolean atStart = first && time.nanos() - begunNanos < START.toNanos();
      first = false;
      RestartLimit.Decision decision = limit.afterCrash(history, time.nanos());
      history = decision.history();
      LOG.debug("{}: the crash", child.spec().name(), crash);
      boolean tooOften = decision instanceof RestartLimit.GiveUp;
      note(child, crash, tooOften);
      CrashKind kind = CrashKind.of(crash);
      Directive directive =
          SupervisionRules.directive(
              atStart && kind == CrashKind.FATAL ? CrashKind.FAILED_START : kind, tooOften);
      boolean escalated =
          directive == Directive.ESCALATE && group != null && group.escalated(child, time.nanos());
      if (escalated) {
        LOG.error(
            "{}: crashed ({}), all of its group start again",
            child.spec().name(),
            child.lastCrash());
        history = RestartLimit.History.CLEAN;
        decision = limit.afterCrash(history, time.nanos());
      } else if (directive == Directive.RESTART && group != null) {
        group.restartOthers(directive, child);
      }
      Fate fate = SupervisionRules.fate(directive, tooOften, escalated, child.spec().criticality());
      if (fate == Fate.GIVEN_UP) {
        LOG.error("{}: crashed again ({}), given up", child.spec().name(), child.lastCrash());
        return SupervisedThread.State.GIVEN_UP;
      }
      Duration wait = told(child, decision, fate);
      restarts.increment();
      child.restarted();
      if (!rested(child, wait)) {
        return SupervisedThread.State.STOPPED;
      }
    }
    return SupervisedThread.State.STOPPED;
  }

  private void note(SupervisedThread child, Throwable crash, boolean tooOften) {
    String what = Crash.describe(crash);
    child.crashed(what);
    Failure failure =
        tooOften
            ? Failure.of(
                    FailureCode.MAX_RESTARTS_EXCEEDED, child.spec().name() + " crashed too often")
                .withContext(Map.of("original_error", what))
            : Failure.of(FailureCode.ACTOR_CRASHED, child.spec().name() + " crashed: " + what)
                .withContext(Map.of("restart_count", Integer.toString(child.restarts())));
    child.failed(failure, time.now());
  }

  /** Says what comes of the crash. Returns how long the child is to rest. */
  private Duration told(SupervisedThread child, RestartLimit.Decision decision, Fate fate) {
    String name = child.spec().name();
    String what = child.lastCrash();
    if (child.isAiling()) {
      LOG.warn("{}: crashed again ({}), retrying in {} s", name, what, repair.toSeconds());
      return repair;
    }
    if (fate != Fate.RESTARTED
        || !(decision instanceof RestartLimit.Restart(Duration wait, var history))) {
      child.isAiling(true);
      listener.ailing(child.spec(), what);
      LOG.error(
          "{}: crashed too often ({}); continuing without it, retrying every {} s",
          name,
          what,
          repair.toSeconds());
      return repair;
    }
    LOG.error(
        "{}: crashed ({}), restart {} of {} in {} ms",
        name,
        what,
        history.crashes(),
        limit.maxRestarts(),
        wait.toMillis());
    return wait;
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
