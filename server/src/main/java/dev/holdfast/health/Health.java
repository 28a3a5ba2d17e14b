package dev.holdfast.health;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What {@code /live}, {@code /ready} and {@code /health} answer, as the JSON of vertx-health-check:
 * a check for each part that must move and for each family of conditions, with the conditions in
 * its data. Thread-safe; never blocks, so an event loop may ask.
 */
public final class Health {
  /** A part that has not moved for longer is dead or stuck. */
  public static final Duration STUCK_AFTER = Duration.ofSeconds(10);

  private static final String PROGRESS = "progress";

  private final Ticks ticks;
  private final List<String> parts;
  private final Conditions conditions;

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
  public Health(Ticks ticks, List<String> parts, Conditions conditions) {
    this.ticks = ticks;
    this.parts = List.copyOf(parts);
    this.conditions = conditions;
    this.parts.forEach(ticks::expect);
    conditions.add(PROGRESS, ProbeEffect.LIVENESS, this::standstills);
  }

  /**
   * Whether every part has moved within {@link #STUCK_AFTER} and nothing needs a restart; no
   * dependency is asked.
   */
  public Answer live() {
    return answer(liveness());
  }

  /** Whether new messages may come. What is degraded is told and does not count. */
  public Answer ready() {
    return answer(readiness());
  }

  /** Both. */
  public Answer health() {
    List<CheckResult> all = liveness();
    all.addAll(readiness());
    return answer(all);
  }

  /**
   * The parts that have not moved for {@code limit}, and the conditions that need a restart; none
   * is what a watchdog may tell. Progress is measured now, whoever else stands still.
   */
  public List<String> stuck(Duration limit) {
    List<String> stuck = new ArrayList<>(still(limit));
    conditions.breaking(ProbeEffect.LIVENESS).stream()
        .filter(type -> !type.startsWith(PROGRESS + "/"))
        .forEach(stuck::add);
    return stuck;
  }

  /** Whether each part moves. */
  public Map<String, Boolean> parts() {
    List<String> stuck = still(STUCK_AFTER);
    Map<String, Boolean> moving = new TreeMap<>();
    parts.forEach(part -> moving.put(part, !stuck.contains(part)));
    return moving;
  }

  private List<String> still(Duration limit) {
    Map<String, Duration> ages = ticks.ages();
    return parts.stream()
        .filter(part -> ages.getOrDefault(part, Duration.ZERO).compareTo(limit) > 0)
        .toList();
  }

  private List<ConditionReport> standstills() {
    return still(STUCK_AFTER).stream()
        .map(
            part ->
                ConditionReport.failed(
                        "no_progress",
                        "The part "
                            + part
                            + " has made no progress for more than "
                            + STUCK_AFTER.toSeconds()
                            + " s. If nothing restarts the server, restart it now.",
                        "Ends when it makes progress again.")
                    .about(part))
        .toList();
  }

  private List<CheckResult> liveness() {
    Map<String, Duration> ages = ticks.ages();
    List<CheckResult> results = new ArrayList<>(families(EnumSet.of(ProbeEffect.LIVENESS)));
    results.removeIf(result -> result.getId().equals(PROGRESS)); // as it is now, part by part:
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

  private List<CheckResult> readiness() {
    return families(EnumSet.of(ProbeEffect.READINESS, ProbeEffect.NONE));
  }

  private List<CheckResult> families(Set<ProbeEffect> effects) {
    Set<String> breaking = new HashSet<>();
    effects.stream()
        .filter(effect -> effect != ProbeEffect.NONE)
        .forEach(effect -> breaking.addAll(conditions.breaking(effect)));
    List<CheckResult> results = new ArrayList<>();
    conditions
        .byFamily(effects)
        .forEach((family, found) -> results.add(check(family, found, breaking)));
    return results;
  }

  private static CheckResult check(String family, List<Condition> found, Set<String> breaking) {
    if (found.isEmpty()) {
      return CheckResult.from(family, Status.OK());
    }
    JsonArray all = new JsonArray();
    found.forEach(condition -> all.add(condition.toJson()));
    JsonObject data = new JsonObject().put("conditions", all);
    boolean down = found.stream().map(Condition::type).anyMatch(breaking::contains);
    return CheckResult.from(family, down ? Status.KO(data) : Status.OK(data));
  }

  private static Answer answer(List<CheckResult> results) {
    boolean up = results.stream().allMatch(CheckResult::isUp);
    CheckResult all =
        new CheckResult().setStatus(up ? Status.OK() : Status.KO()).setChecks(results);
    return new Answer(up ? 200 : 503, all.toJson());
  }
}
