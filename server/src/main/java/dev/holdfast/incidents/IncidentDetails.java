package dev.holdfast.incidents;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * All that is known of an incident beside its summary. It has limits: what is more is cut off.
 *
 * @param facts what happened and when, a sentence each
 * @param affected the events that it touched
 * @param affectedCount how many those are, also the ones that are not listed
 * @param lookAt what a person should look at, a sentence each
 * @param commands what to type for that
 * @param output the last lines that the failed part wrote
 */
public record IncidentDetails(
    List<String> facts,
    List<AffectedEvent> affected,
    int affectedCount,
    List<String> lookAt,
    List<String> commands,
    List<String> output) {
  public static final int AFFECTED_MAX = 50;
  static final int OUTPUT_MAX = 50;
  static final int SENTENCES_MAX = 20;
  static final int UNITS_MAX = 1000;

  public IncidentDetails {
    facts = newest(facts, SENTENCES_MAX);
    affected = List.copyOf(affected.subList(0, Math.min(affected.size(), AFFECTED_MAX)));
    lookAt = newest(lookAt, SENTENCES_MAX);
    commands = newest(commands, SENTENCES_MAX);
    output = newest(output, OUTPUT_MAX);
  }

  /** Without events and output. */
  public static IncidentDetails of(List<String> facts, List<String> lookAt, List<String> commands) {
    return new IncidentDetails(facts, List.of(), 0, lookAt, commands, List.of());
  }

  public IncidentDetails withOutput(List<String> lines) {
    return new IncidentDetails(facts, affected, affectedCount, lookAt, commands, lines);
  }

  public IncidentDetails withAffected(List<AffectedEvent> events, int count) {
    return new IncidentDetails(facts, events, count, lookAt, commands, output);
  }

  static IncidentDetails of(JsonObject json) {
    List<AffectedEvent> affected = new ArrayList<>();
    JsonArray events = json.getJsonArray("affected", new JsonArray());
    for (int i = 0; i < events.size(); i++) {
      affected.add(AffectedEvent.of(events.getJsonObject(i)));
    }
    return new IncidentDetails(
        texts(json, "facts"),
        affected,
        json.getInteger("affected_count", 0),
        texts(json, "look_at"),
        texts(json, "commands"),
        texts(json, "output"));
  }

  JsonObject toJson() {
    JsonArray events = new JsonArray();
    affected.forEach(event -> events.add(event.toJson()));
    return new JsonObject()
        .put("facts", new JsonArray(facts))
        .put("affected", events)
        .put("affected_count", affectedCount)
        .put("look_at", new JsonArray(lookAt))
        .put("commands", new JsonArray(commands))
        .put("output", new JsonArray(output));
  }

  /** Both in one: what the same cause has done again is added to what it did before. */
  IncidentDetails and(IncidentDetails later) {
    Map<String, AffectedEvent> events = new LinkedHashMap<>();
    affected.forEach(event -> events.put(event.eventId(), event));
    int known = events.size();
    later.affected.forEach(event -> events.put(event.eventId(), event));
    int added = events.size() - known + Math.max(0, later.affectedCount - later.affected.size());
    return new IncidentDetails(
        union(facts, later.facts),
        List.copyOf(events.values()),
        affectedCount + added,
        union(lookAt, later.lookAt),
        union(commands, later.commands),
        later.output.isEmpty() ? output : later.output);
  }

  /** More is known by now of what it told already: nothing happened again. */
  IncidentDetails updated(IncidentDetails later) {
    IncidentDetails all = and(later);
    return new IncidentDetails(
        all.facts, all.affected, affectedCount, all.lookAt, all.commands, all.output);
  }

  /** The same with each text changed. */
  IncidentDetails with(UnaryOperator<String> change) {
    UnaryOperator<String> bounded =
        text -> {
          String changed = change.apply(text);
          return changed.length() <= UNITS_MAX ? changed : changed.substring(0, UNITS_MAX) + "…";
        };
    return new IncidentDetails(
        facts.stream().map(bounded).toList(),
        affected.stream()
            .map(
                event ->
                    new AffectedEvent(
                        event.eventId(),
                        bounded.apply(event.interrupted()),
                        bounded.apply(event.done())))
            .toList(),
        affectedCount,
        lookAt.stream().map(bounded).toList(),
        commands.stream().map(bounded).toList(),
        output.stream().map(bounded).toList());
  }

  private static List<String> union(List<String> first, List<String> second) {
    Set<String> all = new LinkedHashSet<>(first);
    all.addAll(second);
    return List.copyOf(all);
  }

  private static List<String> newest(List<String> all, int most) {
    return List.copyOf(all.subList(Math.max(0, all.size() - most), all.size()));
  }

  private static List<String> texts(JsonObject json, String name) {
    return json.getJsonArray(name, new JsonArray()).stream().map(String::valueOf).toList();
  }
}
