package dev.holdfast.ingress.login;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.time.Time;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Logouts as rows. */
public final class StoredLogouts implements Logouts {
  private static final Tables TABLES =
      new Tables(
          "logouts",
          List.of(
              """
              create table logouts (
                name text not null,
                nonce text not null,
                expires integer not null,
                primary key (name, nonce)
              ) without rowid;
              """));

  private final Engine engine;
  private final Time time;

  private StoredLogouts(Engine engine, Time time) {
    this.engine = engine;
    this.time = time;
  }

  /** Blocks. */
  public static StoredLogouts open(Engine engine, Time time) throws StartRefusedException {
    try {
      engine.bring(TABLES);
    } catch (StoreException e) {
      throw new StartRefusedException(StartRefusedException.IO, e.failure().message(), e);
    }
    return new StoredLogouts(engine, time);
  }

  @Override
  public List<Logout> load() {
    return engine.read(
        sql ->
            sql.list(
                row -> new Logout(row.getString(1), row.getString(2), row.getLong(3)),
                "select name, nonce, expires from logouts"));
  }

  /** What the disk refuses now is written as soon as it takes it. */
  @Override
  public CompletableFuture<?> write(Logout logout) {
    Engine.Work<Integer> work =
        tx -> {
          Statements sql = tx.sql();
          // For a life longer than they count: a clock that ran ahead may be set back.
          long old = time.now().minus(Sessions.LIFE).getEpochSecond();
          sql.update("delete from logouts where expires < ?", old);
          if (logout.nonce().isEmpty()) {
            sql.update("delete from logouts where name = ?", logout.name());
          }
          return sql.update(
              "insert into logouts (name, nonce, expires) values (?, ?, ?)"
                  + " on conflict do update set expires = max(expires, excluded.expires)",
              logout.name(),
              logout.nonce(),
              logout.expires());
        };
    return engine
        .offer(work)
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                engine.later(work);
              }
            });
  }
}
