package dev.holdfast.health;

import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code /live}, {@code /ready} and {@code /health} answer, as the JSON of vertx-health-check.
 * Thread-safe; never blocks, so an event loop may ask.
 */
public final class Health {
  /** A part that has not moved for longer is dead or stuck. */
  public static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(Health.class);

  private final Ticks ticks;
  private final List<String> parts;
  private final Map<String, Supplier<CheckState>> checks = new ConcurrentSkipListMap<>();
  private final Map<String, Supplier<CheckState>> details = new ConcurrentSkipListMap<>();
  private final Map<String, Supplier<CheckState>> vital = new ConcurrentSkipListMap<>();
  private final Map<String, String> broken = new ConcurrentHashMap<>();

  /**
   * An answer: {@code status} is 200, or 503 when something is down.
   *
   * @param body {@code {status, checks: [{id, status, data}], outcome}}, UP or DOWN
   */
  public record Answer(int status, JsonObject body) {
    public boolean isUp() {
      return status == 200;
    }
  }

  /**
   * Each of {@code parts} must tick from now on; the time until its first tick counts from now.
   *
   * @param parts names as {@link Ticks} knows them: event loops, store writer, orchestrator
   */
  public Health(Ticks ticks, List<String> parts) {
    this.ticks = ticks;
    this.parts = List.copyOf(parts);
    this.parts.forEach(ticks::expect);
  }

  /**
   * Adds what must be well for the server to be ready. The supplier must not block; one that throws
   * is down.
   */
  public Health readyWhen(String name, Supplier<CheckState> check) {
    checks.put(name, check);
    return this;
  }

  /**
   * Adds what only {@code /health} tells, in the place of a check of that name for readiness, if
   * there is one. The supplier must not block; one that throws is down.
   */
  public Health tells(String name, Supplier<CheckState> check) {
    details.put(name, check);
    return this;
  }

  /**
   * Adds what only a restart can mend when it is down. The supplier must not block; one that throws
   * is down.
   */
  public Health livesWhile(String name, Supplier<CheckState> check) {
    vital.put(name, check);
    return this;
  }

  /**
   * Whether every part has moved within {@link #STUCK_AFTER} and nothing needs a restart; no
   * dependency is asked.
   */
  public Answer live() {
    return answer(partResults());
  }

  /** Whether new events may come: no check is down. A degraded one is told and does not count. */
  public Answer ready() {
    return answer(results(checks));
  }

  /** Both, and what matters to neither. */
  public Answer health() {
    List<CheckResult> all = new ArrayList<>(partResults());
    Map<String, Supplier<CheckState>> told = new TreeMap<>(checks);
    told.putAll(details);
    all.addAll(results(told));
    return answer(all);
  }

  /**
   * The parts that have not moved for {@code limit} or need a restart; none is what a watchdog may
   * tell.
   */
  public List<String> stuck(Duration limit) {
    Map<String, Duration> ages = ticks.ages();
    List<String> stuck = new ArrayList<>();
    parts.stream()
        .filter(part -> ages.getOrDefault(part, Duration.ZERO).compareTo(limit) > 0)
        .forEach(stuck::add);
    vital.forEach(
        (name, check) -> {
          if (state(name, check) instanceof CheckState.Down) {
            stuck.add(name);
          }
        });
    return stuck;
  }

  private List<CheckResult> partResults() {
    Map<String, Duration> ages = ticks.ages();
    List<CheckResult> results = new ArrayList<>(results(vital));
    parts.stream()
        .map(
            part -> {
              Duration age = ages.getOrDefault(part, Duration.ZERO);
              JsonObject data = new JsonObject().put("ticked_millis_ago", age.toMillis());
              boolean moves = age.compareTo(STUCK_AFTER) <= 0;
              return CheckResult.from(part, moves ? Status.OK(data) : Status.KO(data));
            })
        .forEach(results::add);
    return results;
  }

  private List<CheckResult> results(Map<String, Supplier<CheckState>> all) {
    return all.entrySet().stream()
        .map(check -> CheckResult.from(check.getKey(), status(check.getKey(), check.getValue())))
        .toList();
  }

  private Status status(String name, Supplier<CheckState> check) {
    return switch (state(name, check)) {
      case CheckState.Ok() -> Status.OK();
      case CheckState.Degraded(String reason) ->
          Status.OK(new JsonObject().put("degraded", reason));
      case CheckState.Down(String reason) -> Status.KO(new JsonObject().put("reason", reason));
    };
  }

  private CheckState state(String name, Supplier<CheckState> check) {
    try {
      CheckState state = check.get();
      broken.remove(name);
      return state;
    } catch (RuntimeException e) {
      String type = e.getClass().getSimpleName();
      // Probes come every few seconds: the log hears of it once.
      if (!type.equals(broken.put(name, type))) {
        LOG.error("health check {}: failed with {}", name, type);
      }
      return CheckState.down("the check failed");
    }
  }

  private static Answer answer(List<CheckResult> results) {
    boolean up = results.stream().allMatch(CheckResult::isUp);
    CheckResult all =
        new CheckResult().setStatus(up ? Status.OK() : Status.KO()).setChecks(results);
    return new Answer(up ? 200 : 503, all.toJson());
  }
}
