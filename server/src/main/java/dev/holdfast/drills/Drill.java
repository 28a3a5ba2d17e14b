package dev.holdfast.drills;

import dev.holdfast.bus.News;
import dev.holdfast.health.Condition;
import dev.holdfast.store.messages.MessageMark;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One drill from its begin to its verdicts. Thread-safe; one thread runs it. */
public final class Drill {
  static final Duration LOOK_EVERY = Duration.ofMillis(250);

  /** Longer than breakers stay open and agents rest after a drill of usual length. */
  static final Duration SETTLE_MAX = Duration.ofMinutes(3);

  /** Conditions are looked at twice a second. */
  private static final Duration SETTLE_MIN = Duration.ofSeconds(2);

  private final String id;
  private final DrillKind kind;
  private final String target;
  private final Duration length;
  private final String actor;
  private final DrilledServer server;
  private final Time time;
  private final DrillTimeline timeline;
  private final Instant begunAt;
  private final long begun;
  private final Set<String> conditionsBefore;
  private final MessageMark before;
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger looksNotReady = new AtomicInteger();
  private volatile Stage stage = Stage.RUNNING;
  private volatile EndedBy endedBy = EndedBy.TIME;
  private volatile boolean stopAsked;
  private volatile long strikes;
  private volatile @Nullable Instant endedAt;
  private volatile @Nullable DrillFacts facts;
  private volatile List<DrillPromise.Verdict> verdicts = List.of();

  /** How far it is. */
  public enum Stage {
    /** The fault lasts. */
    RUNNING,
    /** The fault is over; the server is given time to put everything in order. */
    SETTLING,
    DONE;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private enum EndedBy {
    TIME,
    OPERATOR,
    SHUTDOWN
  }

  Drill(
      String id,
      DrillKind kind,
      String target,
      Duration length,
      String actor,
      DrilledServer server,
      Time time) {
    this.id = id;
    this.kind = kind;
    this.target = target;
    this.length = length;
    this.actor = actor;
    this.server = server;
    this.time = time;
    this.timeline = new DrillTimeline(time);
    this.begunAt = time.now();
    this.begun = time.nanos();
    this.before = server.mark();
    this.conditionsBefore =
        server.conditions().stream().map(Condition::type).collect(Collectors.toSet());
  }

  public String id() {
    return id;
  }

  public DrillKind kind() {
    return kind;
  }

  public Stage stage() {
    return stage;
  }

  boolean isHeld() {
    return verdicts.stream().noneMatch(verdict -> verdict.held() == DrillPromise.Held.NO);
  }

  /** The fault ends soon; the settling goes on. */
  void stop() {
    endedBy = EndedBy.OPERATOR;
    stopAsked = true;
  }

  /** Blocks until the verdicts are known; an interrupt ends the fault and the drill. */
  void run(Injection.Fault fault, News news) throws InterruptedException {
    try (News.Watch _ = news.watch(timeline::hear, timeline::missed)) {
      timeline.add("the fault begins");
      try (fault) {
        last(fault);
      } catch (InterruptedException e) {
        endedBy = EndedBy.SHUTDOWN;
        throw e;
      } finally {
        strikes = fault.strikes();
        endedAt = time.now();
        timeline.add("the fault ends");
        stage = Stage.SETTLING;
      }
      settle(fault, server.mark(), time.nanos());
    } finally {
      stage = Stage.DONE;
    }
  }

  private void last(Injection.Fault fault) throws InterruptedException {
    while (!stopAsked && time.nanos() - begun < length.toNanos()) {
      time.sleep(LOOK_EVERY);
      fault.tick();
      strikes = fault.strikes();
      looks.incrementAndGet();
      looksNotReady.addAndGet(server.isReady() ? 0 : 1);
    }
  }

  private void settle(Injection.Fault fault, MessageMark after, long ended)
      throws InterruptedException {
    while (true) {
      time.sleep(LOOK_EVERY);
      Duration settled = Duration.ofNanos(time.nanos() - ended);
      DrillFacts now =
          new DrillFacts(
              after.event() - before.event(),
              server.fates(before, new MessageMark(after.event(), server.mark().reply())),
              strikes,
              looks.get(),
              looksNotReady.get(),
              fault.isRepaired(),
              remaining(),
              settled);
      facts = now;
      boolean isSettled = now.isSettled() && settled.compareTo(SETTLE_MIN) >= 0;
      if (isSettled || settled.compareTo(SETTLE_MAX) >= 0) {
        verdicts = kind.promises().stream().map(promise -> promise.judge(now)).toList();
        return;
      }
    }
  }

  private List<String> remaining() {
    Instant now = time.now();
    return server.conditions().stream()
        .filter(condition -> !conditionsBefore.contains(condition.type()))
        .filter(condition -> !condition.family().equals(Drills.FAMILY))
        .filter(condition -> !awaitsCall(condition, now))
        .map(Condition::type)
        .toList();
  }

  /**
   * Whether nothing but the next call for it can end it: then the drill has nothing to wait for.
   */
  private static boolean awaitsCall(Condition condition, Instant now) {
    Instant next = condition.nextAttemptAt();
    return condition.reason().equals("half_open") || (next != null && !next.isAfter(now));
  }

  /** In words, for the condition. */
  String told() {
    return "A drill runs: "
        + kind.label()
        + (target.isEmpty() ? "" : " of " + target)
        + ". What it breaks is broken on purpose. End it with holdfast drill stop "
        + id
        + ".";
  }

  Instant endsAt() {
    return begunAt.plus(length);
  }

  /** All that is known of it. */
  public JsonObject toJson() {
    Instant ended = endedAt;
    JsonObject view =
        new JsonObject()
            .put("id", id)
            .put("name", kind.label())
            .put("target", target)
            .put("fault", kind.fault())
            .put("state", stage.label())
            .put("by", actor)
            .put("begun_at", begunAt.toString())
            .put("ends_at", endsAt().toString())
            .put("ended_at", ended == null ? null : ended.toString())
            .put("ended_by", ended == null ? null : endedBy.name().toLowerCase(Locale.ROOT))
            .put("strikes", strikes)
            .put("looks", looks.get())
            .put("looks_not_ready", looksNotReady.get())
            .put("counts", timeline.counts())
            .put("timeline", timeline.entries())
            .put("held", verdicts.isEmpty() ? null : isHeld());
    JsonArray promises = new JsonArray();
    kind.promises().forEach(promise -> promises.add(view(promise)));
    return view.put("promises", promises).put("events", events());
  }

  private JsonObject view(DrillPromise promise) {
    JsonObject view =
        new JsonObject()
            .put("promise", promise.label())
            .put("text", promise.text())
            .put("held", null)
            .put("why", "");
    verdicts.stream()
        .filter(verdict -> verdict.promise() == promise)
        .forEach(verdict -> view.put("held", verdict.held().label()).put("why", verdict.why()));
    return view;
  }

  /** Null while the fault lasts. */
  private @Nullable JsonObject events() {
    DrillFacts now = facts;
    if (now == null) {
      return null;
    }
    JsonObject states = new JsonObject();
    now.fates().states().forEach((state, count) -> states.put(state.label(), count));
    JsonArray told = new JsonArray();
    now.fates()
        .told()
        .forEach(
            each ->
                told.add(
                    new JsonObject()
                        .put("sentence", each.sentence())
                        .put("times", each.times())
                        .put("threads", each.threads())));
    return new JsonObject()
        .put("accepted", now.acceptedCounted())
        .put("threads", now.fates().threads())
        .put("states", states)
        .put("told", told)
        .put("settled_secs", now.settled().toMillis() / 1000.0);
  }
}
