package dev.holdfast.incidents;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that went wrong, as it is kept.
 *
 * @param lastAt when the same happened last
 * @param times how often it has happened, from 1
 * @param resolvedAt null while it is open
 * @param resolvedBy as in {@link dev.holdfast.store.ledgers.AuditEntry#actor}, or {@link
 *     Incidents#RECOVERED}; empty while it is open
 */
public record Incident(
    String id,
    Instant at,
    Instant lastAt,
    int times,
    IncidentKind kind,
    IncidentSeverity severity,
    String part,
    String summary,
    IncidentDetails details,
    @Nullable Instant resolvedAt,
    String resolvedBy) {

  public boolean isOpen() {
    return resolvedAt == null;
  }

  /** All but the details. */
  public JsonObject headline() {
    Instant resolved = resolvedAt;
    return new JsonObject()
        .put("id", id)
        .put("at", at.toString())
        .put("last_at", lastAt.toString())
        .put("times", times)
        .put("kind", kind.label())
        .put("severity", severity.label())
        .put("part", part)
        .put("summary", summary)
        .put("resolved_at", resolved == null ? null : resolved.toString())
        .put("resolved_by", resolvedBy);
  }

  /** All of it. */
  public JsonObject toJson() {
    return headline().put("details", details.toJson());
  }

  Incident again(Instant now, NewIncident later) {
    return new Incident(
        id,
        at,
        now,
        times + 1,
        kind,
        later.severity().compareTo(severity) > 0 ? later.severity() : severity,
        part,
        later.severity().compareTo(severity) < 0 ? summary : later.summary(),
        details.and(later.details()),
        resolvedAt,
        resolvedBy);
  }

  Incident with(IncidentDetails changed) {
    return new Incident(
        id, at, lastAt, times, kind, severity, part, summary, changed, resolvedAt, resolvedBy);
  }

  Incident resolved(Instant now, String by) {
    return new Incident(id, at, lastAt, times, kind, severity, part, summary, details, now, by);
  }
}
