package dev.holdfast.drills;

import dev.holdfast.bus.News;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The drills of this run of the server: one at a time, in memory alone, so that a restart ends any.
 * Thread-safe.
 */
public final class Drills {
  /** The longest that a fault may last. */
  public static final Duration LENGTH_MAX = Duration.ofMinutes(5);

  /** How long it lasts when nobody says. */
  public static final Duration LENGTH_USUAL = Duration.ofSeconds(20);

  /** Of the condition that says that a drill runs. */
  static final String FAMILY = "drill";

  private static final Logger LOG = LoggerFactory.getLogger(Drills.class);
  private static final int REMEMBERED_MAX = 20;

  private final DrilledServer server;
  private final Map<DrillKind, Injection> injections;
  private final News news;
  private final Time time;
  private final MeterRegistry meters;
  private final Deque<Drill> drills = new ArrayDeque<>();
  private @Nullable Thread runner;
  private boolean closed;

  /**
   * @param injections of each kind that can be drilled here
   */
  public Drills(
      DrilledServer server,
      Map<DrillKind, Injection> injections,
      News news,
      Time time,
      MeterRegistry meters) {
    this.server = server;
    this.injections = Map.copyOf(injections);
    this.news = news;
    this.time = time;
    this.meters = meters;
    for (DrillKind kind : DrillKind.values()) {
      counter(kind, true); // so that they can be read before the first one
      counter(kind, false);
    }
  }

  private Counter counter(DrillKind kind, boolean held) {
    return Counter.builder("holdfast.drills")
        .description("Drills that ended, by whether each promise held.")
        .tag("name", kind.label())
        .tag("held", Boolean.toString(held))
        .register(meters);
  }

  /**
   * Begins one. Returns when the fault is there.
   *
   * @param target empty for all, or for the one that there is
   */
  public synchronized Drill start(String name, String target, Duration length, String actor)
      throws DrillRefusedException {
    DrillKind kind =
        DrillKind.of(name)
            .orElseThrow(() -> DrillRefusedException.invalid("there is no drill " + name));
    if (length.compareTo(Duration.ofSeconds(1)) < 0 || length.compareTo(LENGTH_MAX) > 0) {
      throw DrillRefusedException.invalid(
          "a drill lasts 1 to " + LENGTH_MAX.toSeconds() + " seconds");
    }
    if (!target.isEmpty() && kind.target().isEmpty()) {
      throw DrillRefusedException.invalid(name + " has no target");
    }
    Injection injection = injections.get(kind);
    if (injection == null || closed) {
      throw DrillRefusedException.conflict(name + " cannot be drilled here now");
    }
    Optional<Drill> busy = drills.stream().filter(Drills::isActive).findFirst();
    if (busy.isPresent()) {
      throw DrillRefusedException.conflict(
          "drill %s is %s; one runs at a time"
              .formatted(busy.get().id(), busy.get().stage().label()));
    }
    Drill drill =
        new Drill(UUID.randomUUID().toString(), kind, target, length, actor, server, time);
    Injection.Fault fault = injection.begin(target);
    LOG.warn("drill {}: {} begins, for {} s, by {}", drill.id(), name, length.toSeconds(), actor);
    drills.addFirst(drill);
    while (drills.size() > REMEMBERED_MAX) {
      drills.removeLast();
    }
    runner = Thread.ofVirtual().name("drill").start(() -> run(drill, fault));
    return drill;
  }

  private void run(Drill drill, Injection.Fault fault) {
    try (fault) {
      drill.run(fault, news);
      counter(drill.kind(), drill.isHeld()).increment();
      LOG.warn(
          "drill {}: {} is over, {}",
          drill.id(),
          drill.kind().label(),
          drill.isHeld() ? "each promise held" : "not each promise held");
    } catch (InterruptedException _) {
      LOG.warn("drill {}: ended with the server", drill.id());
    }
  }

  private static boolean isActive(Drill drill) {
    return drill.stage() != Drill.Stage.DONE;
  }

  /** Ends the fault of one soon; empty when there is none of that id. */
  public synchronized Optional<Drill> stop(String id) {
    Optional<Drill> found = find(id);
    found.filter(drill -> drill.stage() == Drill.Stage.RUNNING).ifPresent(Drill::stop);
    return found;
  }

  public synchronized Optional<Drill> find(String id) {
    return drills.stream().filter(drill -> drill.id().equals(id)).findFirst();
  }

  /** The last of them, newest first. */
  public synchronized List<Drill> all() {
    return List.copyOf(drills);
  }

  /** That one runs. Answers from memory. */
  public synchronized List<ConditionReport> reports() {
    return drills.stream()
        .filter(drill -> drill.stage() == Drill.Stage.RUNNING)
        .map(
            drill ->
                ConditionReport.degraded(
                    "running",
                    drill.told(),
                    "Ends automatically at " + drill.endsAt() + ", or with a restart."))
        .toList();
  }

  /** Ends what runs, before anything else of the server is stopped. Blocks until it is undone. */
  public void close() throws InterruptedException {
    Thread last;
    synchronized (this) {
      closed = true;
      last = runner;
    }
    if (last != null) {
      last.interrupt();
      last.join(LENGTH_USUAL);
    }
  }
}
