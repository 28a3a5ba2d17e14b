package dev.holdfast.channels;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import java.util.List;
import java.util.Optional;

/**
 * Where each listener was last, one row per account. A position belongs to the bot that has reached
 * it, or to its token where the channel does not know the bot: with that of another one messages
 * could be skipped. Thread-safe; blocks.
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
              """,
              "alter table channels_positions add column bot text not null default '';"));

  private final Engine engine;

  /**
   * Whose a position is.
   *
   * @param lease a hash of the token
   * @param bot what the platform calls the bot; empty when the channel does not say
   */
  record Reader(String source, String lease, String bot) {}

  private ListenerPositions(Engine engine) {
    this.engine = engine;
  }

  public static ListenerPositions open(Engine engine) throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    return new ListenerPositions(engine);
  }

  /** By the bot; by the token when either side does not know the bot. */
  Optional<String> find(Reader reader) {
    return engine.read(
        sql ->
            sql.first(
                row -> row.getString(1),
                "select position from channels_positions where source = ?"
                    + " and case when ? = '' or bot = '' then lease = ? else bot = ? end",
                reader.source(),
                reader.bot(),
                reader.lease(),
                reader.bot()));
  }

  /** Durable on return. */
  void save(Reader reader, String position) throws StoreException {
    int _ =
        engine.call(
            tx ->
                tx.sql()
                    .update(
                        "insert into channels_positions (source, lease, bot, position)"
                            + " values (?, ?, ?, ?) on conflict (source) do update set"
                            + " lease = excluded.lease, bot = excluded.bot,"
                            + " position = excluded.position",
                        reader.source(),
                        reader.lease(),
                        reader.bot(),
                        position));
  }
}
