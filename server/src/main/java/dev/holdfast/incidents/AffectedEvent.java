package dev.holdfast.incidents;

import io.vertx.core.json.JsonObject;

/**
 * An event that an incident has touched, by its id alone.
 *
 * @param interrupted what was cut off, for people
 * @param done what was done about it, for people
 */
public record AffectedEvent(String eventId, String interrupted, String done) {
  static AffectedEvent of(JsonObject json) {
    return new AffectedEvent(
        json.getString("event_id", ""),
        json.getString("interrupted", ""),
        json.getString("done", ""));
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("event_id", eventId)
        .put("interrupted", interrupted)
        .put("done", done);
  }
}
