package dev.holdfast.incidents;

import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The table of incidents. A row whose checksum does not match is not served. */
final class IncidentRows {
  private static final Logger LOG = LoggerFactory.getLogger(IncidentRows.class);

  static final Tables TABLES =
      new Tables(
          "incidents",
          List.of(
              """
              create table incidents_reports (
                id text primary key,
                at integer not null,
                last_at integer not null,
                times integer not null,
                kind text not null,
                severity text not null,
                part text not null,
                summary text not null,
                details text not null,
                resolved_at integer not null,
                resolved_by text not null,
                crc integer not null
              ) without rowid;
              create index incidents_reports_open on incidents_reports (kind, part)
                where resolved_at = 0;
              """));

  private static final String SELECT =
      "select id, at, last_at, times, kind, severity, part, summary, details, resolved_at,"
          + " resolved_by, crc from incidents_reports ";

  /** Behind every id. */
  private static final String NEWEST = "g";

  private IncidentRows() {}

  static void put(Statements sql, Incident incident) throws SQLException {
    String details = incident.details().toJson().encode();
    sql.update(
        "insert into incidents_reports (id, at, last_at, times, kind, severity, part, summary,"
            + " details, resolved_at, resolved_by, crc) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            + " on conflict (id) do update set last_at = excluded.last_at,"
            + " times = excluded.times, severity = excluded.severity, summary = excluded.summary,"
            + " details = excluded.details, resolved_at = excluded.resolved_at,"
            + " resolved_by = excluded.resolved_by, crc = excluded.crc",
        incident.id(),
        Timestamps.of(incident.at()),
        Timestamps.of(incident.lastAt()),
        incident.times(),
        incident.kind().label(),
        incident.severity().label(),
        incident.part(),
        incident.summary(),
        details,
        resolvedAt(incident),
        incident.resolvedBy(),
        crc(incident, details));
  }

  static Optional<Incident> find(Statements sql, String id) throws SQLException {
    return sql.first(IncidentRows::read, SELECT + "where id = ?", id).flatMap(found -> found);
  }

  /** The open one of that kind and part, the newest of several. */
  static Optional<Incident> open(Statements sql, IncidentKind kind, String part)
      throws SQLException {
    return sql
        .list(
            IncidentRows::read,
            SELECT + "where kind = ? and part = ? and resolved_at = 0 order by id desc",
            kind.label(),
            part)
        .stream()
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * Newest first.
   *
   * @param before only older ones than that with this id; empty for all
   */
  static List<Incident> list(Statements sql, boolean openOnly, String before, int most)
      throws SQLException {
    return sql
        .list(
            IncidentRows::read,
            SELECT
                + "where id < ?"
                + (openOnly ? " and resolved_at = 0" : "")
                + " order by id desc limit ?",
            before.isEmpty() ? NEWEST : before,
            most)
        .stream()
        .flatMap(Optional::stream)
        .toList();
  }

  /** Deletes the oldest resolved ones, then the oldest, until so many are left. */
  static List<String> purge(Statements sql, int kept) throws SQLException {
    long all =
        sql.first(row -> row.getLong(1), "select count(*) from incidents_reports").orElse(0L);
    List<String> gone =
        sql.list(
            row -> row.getString(1),
            "select id from incidents_reports order by resolved_at = 0, id limit ?",
            Math.max(0, all - kept));
    for (String id : gone) {
      sql.update("delete from incidents_reports where id = ?", id);
    }
    return gone;
  }

  private static Optional<Incident> read(ResultSet row) throws SQLException {
    String id = row.getString(1);
    try {
      String details = row.getString(9);
      long resolvedAt = row.getLong(10);
      Incident incident =
          new Incident(
              id,
              Instant.ofEpochMilli(row.getLong(2)),
              Instant.ofEpochMilli(row.getLong(3)),
              row.getInt(4),
              IncidentKind.of(row.getString(5)).orElseThrow(IncidentRows::damaged),
              IncidentSeverity.of(row.getString(6)).orElseThrow(IncidentRows::damaged),
              row.getString(7),
              row.getString(8),
              IncidentDetails.of(new JsonObject(details)),
              resolvedAt == 0 ? null : Instant.ofEpochMilli(resolvedAt),
              row.getString(11));
      if (crc(incident, details) != row.getLong(12)) {
        throw damaged();
      }
      return Optional.of(incident);
    } catch (DecodeException | ClassCastException | IllegalArgumentException _) {
      LOG.error("incident {}: damaged on disk, its row is not shown", id);
      return Optional.empty();
    }
  }

  private static IllegalArgumentException damaged() {
    return new IllegalArgumentException("the row is not the one that was written");
  }

  private static long resolvedAt(Incident incident) {
    Instant at = incident.resolvedAt();
    return at == null ? 0 : Timestamps.of(at);
  }

  private static long crc(Incident incident, String details) {
    return new Crc()
        .add(incident.id())
        .add(Timestamps.of(incident.at()))
        .add(Timestamps.of(incident.lastAt()))
        .add(incident.times())
        .add(incident.kind().label())
        .add(incident.severity().label())
        .add(incident.part())
        .add(incident.summary())
        .add(details)
        .add(resolvedAt(incident))
        .add(incident.resolvedBy())
        .value();
  }
}
