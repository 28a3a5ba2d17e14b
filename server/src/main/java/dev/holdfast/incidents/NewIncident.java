package dev.holdfast.incidents;

import io.vertx.core.json.JsonObject;

/**
 * Something that went wrong, as it is reported.
 *
 * @param part of the server that it is about, such as the id of an extension; what happens to the
 *     same part again soon is counted and not listed twice
 * @param summary one sentence for people
 */
public record NewIncident(
    IncidentKind kind,
    IncidentSeverity severity,
    String part,
    String summary,
    IncidentDetails details) {

  /** Empty parts of it are what the text does not hold. */
  static NewIncident of(JsonObject json) {
    return new NewIncident(
        IncidentKind.of(json.getString("kind", "")).orElse(IncidentKind.GAVE_UP),
        IncidentSeverity.of(json.getString("severity", "")).orElse(IncidentSeverity.CRITICAL),
        json.getString("part", ""),
        json.getString("summary", ""),
        IncidentDetails.of(json.getJsonObject("details", new JsonObject())));
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("kind", kind.label())
        .put("severity", severity.label())
        .put("part", part)
        .put("summary", summary)
        .put("details", details.toJson());
  }
}
