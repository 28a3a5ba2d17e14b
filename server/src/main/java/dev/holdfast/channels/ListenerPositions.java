package dev.holdfast.channels;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import java.util.List;
import java.util.Optional;

/**
 * Where each listener was last, one row per account. A position belongs to the token it was reached
 * with: with another one it could skip messages. Thread-safe; blocks.
 */
public final class ListenerPositions {
  private static final Tables TABLES =
      new Tables(
          "channels",
          List.of(
              """
              create table channels_positions (
                source text primary key,
                lease text not null,
                position text not null
              ) without rowid;
              """));

  private final Engine engine;

  private ListenerPositions(Engine engine) {
    this.engine = engine;
  }

  public static ListenerPositions open(Engine engine) throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    return new ListenerPositions(engine);
  }

  Optional<String> find(String source, String lease) {
    return engine.read(
        sql ->
            sql.first(
                row -> row.getString(1),
                "select position from channels_positions where source = ? and lease = ?",
                source,
                lease));
  }

  /** Durable on return. */
  void save(String source, String lease, String position) throws StoreException {
    int _ =
        engine.call(
            tx ->
                tx.sql()
                    .update(
                        "insert into channels_positions (source, lease, position) values (?, ?, ?)"
                            + " on conflict (source) do update set lease = excluded.lease,"
                            + " position = excluded.position",
                        source,
                        lease,
                        position));
  }
}
