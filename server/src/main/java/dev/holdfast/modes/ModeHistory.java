package dev.holdfast.modes;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * The changes of the mode, a row each, written together with their line in the audit; the last one
 * says which mode a start begins with. Thread-safe.
 */
final class ModeHistory {
  private static final int KEPT = 1000;

  private static final Tables TABLES =
      new Tables(
          "modes",
          List.of(
              """
              create table modes_changes (
                number integer primary key,
                at integer not null,
                before text not null,
                rule text not null,
                reason text not null,
                actor text not null
              );
              """));

  private final Engine engine;
  private final Audit audit;

  private ModeHistory(Engine engine, Audit audit) {
    this.engine = engine;
    this.audit = audit;
  }

  static ModeHistory open(Engine engine, Audit audit) throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    return new ModeHistory(engine, audit);
  }

  /** Newest first. Blocks. */
  List<ModeChange> newest(int most) {
    return engine.read(
        sql ->
            sql.list(
                ModeHistory::read,
                "select number, at, before, rule, reason, actor from modes_changes"
                    + " order by number desc limit ?",
                most));
  }

  private static ModeChange read(ResultSet row) throws SQLException {
    return new ModeChange(
        row.getLong(1),
        Instant.ofEpochMilli(row.getLong(2)),
        Mode.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
        ModeRule.valueOf(row.getString(4).toUpperCase(Locale.ROOT)),
        row.getString(5),
        row.getString(6));
  }

  /** Durable on return; a second time it changes nothing. Blocks. */
  void write(ModeChange change) throws StoreException {
    AuditEntry entry =
        new AuditEntry(
            change.isByHand() ? "operator.mode" : "mode.changed",
            "",
            "",
            "",
            change.actor(),
            change.toJson().encode());
    engine.<Boolean>call(
        tx -> {
          int written =
              tx.sql()
                  .update(
                      "insert into modes_changes (number, at, before, rule, reason, actor)"
                          + " values (?, ?, ?, ?, ?, ?) on conflict (number) do nothing",
                      change.number(),
                      Timestamps.of(change.at()),
                      change.from().label(),
                      change.rule().label(),
                      change.reason(),
                      change.actor());
          tx.sql().update("delete from modes_changes where number <= ?", change.number() - KEPT);
          if (written > 0) {
            audit.insert(tx, entry);
          }
          return written > 0;
        });
  }
}
