package dev.holdfast.drills;

import dev.holdfast.bus.NewsItem;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the server told while a drill ran: changes with their times, all else counted. */
final class DrillTimeline {
  private static final int ENTRIES_MAX = 200;

  private final Time time;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private long left;

  private record Entry(Instant at, String what) {}

  DrillTimeline(Time time) {
    this.time = time;
  }

  synchronized void add(String what) {
    if (entries.size() < ENTRIES_MAX) {
      entries.add(new Entry(time.now(), what));
    } else {
      left++;
    }
  }

  void hear(NewsItem item) {
    JsonObject details = new JsonObject(item.json());
    switch (item.kind()) {
      case "condition.changed" -> condition(details);
      case "mode.changed" ->
          add("mode %s: %s".formatted(details.getString("to"), details.getString("reason")));
      case "event.finished" -> count("event.finished " + details.getString("outcome"));
      case "reply.state" -> count("reply " + details.getString("state"));
      case "task.moved", "plan.moved" ->
          count(item.kind().replace(".moved", " ") + details.getString("to"));
      case "event.accepted", "turn.parked", "turn.failed", "turn.crashed" -> count(item.kind());
      default -> {
        // Says nothing about the fault.
      }
    }
  }

  private void condition(JsonObject details) {
    String type = details.getString("type", "");
    if (!type.equals(Drills.FAMILY)) {
      String reason = details.getString("reason", "");
      add("condition %s: %s".formatted(type, reason));
    }
  }

  void missed() {
    count("missed");
  }

  private synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  synchronized JsonObject counts() {
    JsonObject all = new JsonObject();
    counts.forEach(all::put);
    return all;
  }

  synchronized JsonArray entries() {
    JsonArray all = new JsonArray();
    entries.forEach(
        entry ->
            all.add(new JsonObject().put("at", entry.at().toString()).put("what", entry.what())));
    if (left > 0) {
      all.add(
          new JsonObject().put("at", time.now().toString()).put("what", "and " + left + " more"));
    }
    return all;
  }
}
