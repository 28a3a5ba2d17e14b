package dev.holdfast.guards;

import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.GuardState;
import dev.holdfast.resilience.GuardState.Wait;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Open breakers and waits that were asked for, by the name of their guard: a row each, written with
 * the next commit. A crash may lose the newest change, which costs one call that fails.
 * Thread-safe.
 */
public final class StoredGuards implements GuardMemory {
  private static final Tables TABLES =
      new Tables(
          "guards",
          List.of(
              """
              create table guards_states (
                name text primary key,
                failures integer not null,
                opens integer not null,
                open_until integer not null,
                open_ms integer not null,
                hold_until integer not null,
                hold_ms integer not null
              ) without rowid;
              """));

  private static final String KEEP =
      "insert into guards_states (name, failures, opens, open_until, open_ms, hold_until, hold_ms)"
          + " values (?, ?, ?, ?, ?, ?, ?) on conflict (name) do update set"
          + " failures = excluded.failures, opens = excluded.opens,"
          + " open_until = excluded.open_until, open_ms = excluded.open_ms,"
          + " hold_until = excluded.hold_until, hold_ms = excluded.hold_ms";

  private final Engine engine;
  private final Map<String, GuardState> states = new ConcurrentHashMap<>();

  private record Named(String name, GuardState state) {}

  private StoredGuards(Engine engine) {
    this.engine = engine;
  }

  /** Reads what earlier runs kept. Blocks. */
  public static StoredGuards open(Engine engine) throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    StoredGuards guards = new StoredGuards(engine);
    engine
        .read(
            sql ->
                sql.list(
                    StoredGuards::read,
                    "select name, failures, opens, open_until, open_ms, hold_until, hold_ms"
                        + " from guards_states"))
        .forEach(found -> guards.states.put(found.name(), found.state()));
    return guards;
  }

  private static Named read(ResultSet row) throws SQLException {
    return new Named(
        row.getString(1),
        new GuardState(
            row.getInt(2),
            row.getInt(3),
            new Wait(Instant.ofEpochMilli(row.getLong(4)), Duration.ofMillis(row.getLong(5))),
            new Wait(Instant.ofEpochMilli(row.getLong(6)), Duration.ofMillis(row.getLong(7)))));
  }

  @Override
  public Optional<GuardState> recall(String name) {
    return Optional.ofNullable(states.get(name));
  }

  @Override
  public void keep(String name, GuardState state) {
    states.put(name, state);
    engine.later(tx -> write(tx, name, state));
  }

  @Override
  public void forget(String name) {
    if (states.remove(name) != null) {
      engine.later(tx -> tx.sql().update("delete from guards_states where name = ?", name));
    }
  }

  private static int write(Transaction tx, String name, GuardState state) throws SQLException {
    return tx.sql()
        .update(
            KEEP,
            name,
            state.failures(),
            state.opens(),
            Timestamps.of(state.open().until()),
            state.open().length().toMillis(),
            Timestamps.of(state.hold().until()),
            state.hold().length().toMillis());
  }
}
