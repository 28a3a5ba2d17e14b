package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import io.vertx.core.json.Json;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keys as rows. What happens once has a row before it happens: one that is left without a response
 * tells that the server went down in the middle.
 */
public final class StoredIdempotency implements Idempotency {
  private static final Duration KEPT = Duration.ofHours(24);

  /** A longer one is that of a message, which is found again without it. */
  private static final int BODY_BYTES_MAX = 16 * 1024;

  /** What a row takes beside its response. */
  private static final int ROW_BYTES = 400;

  /** Of each token, so that none can push out the keys of another. */
  private static final long SHARE_BYTES = 32L * 1024 * 1024;

  private static final int FORGOTTEN_AT_ONCE = 200;
  private static final int BEGUN = 0;

  private static final Tables TABLES =
      new Tables(
          "idempotency",
          List.of(
              """
              create table idempotency_keys (
                caller text not null,
                scope text not null,
                content text not null,
                place integer not null,
                at integer not null,
                status integer not null,
                body text not null,
                primary key (caller, scope)
              );
              create index idempotency_keys_place on idempotency_keys (caller, place);
              create index idempotency_keys_at on idempotency_keys (at);
              """));

  private final Engine engine;
  private final Time time;
  private final long shareBytes;

  /** What runs in this process, and what it asks. */
  private final Map<String, String> running = new ConcurrentHashMap<>();

  private record Row(String content, Kept response) {}

  private StoredIdempotency(Engine engine, Time time, long shareBytes) {
    this.engine = engine;
    this.time = time;
    this.shareBytes = shareBytes;
  }

  /** Blocks. */
  public static StoredIdempotency open(Engine engine, Time time) throws StartRefusedException {
    return open(engine, time, SHARE_BYTES);
  }

  static StoredIdempotency open(Engine engine, Time time, long shareBytes)
      throws StartRefusedException {
    StoredIdempotency opened = new StoredIdempotency(engine, time, shareBytes);
    try {
      engine.bring(TABLES);
      engine.call(
          tx -> tx.sql().update("delete from idempotency_keys where at < ?", opened.oldest()));
    } catch (StoreException e) {
      throw new StartRefusedException(StartRefusedException.IO, e.failure().message(), e);
    }
    return opened;
  }

  /** No response is kept that tells of a chat thread. As {@link ThreadErasure.Other}. */
  public static void erase(Transaction tx, String threadId) throws SQLException {
    int _ =
        tx.sql()
            .update(
                "delete from idempotency_keys where instr(body, ?) > 0",
                "\"thread_id\":" + Json.encode(threadId));
  }

  private long oldest() {
    return Timestamps.of(time.now().minus(KEPT));
  }

  @Override
  public Optional<Kept> begin(Keyed request) throws RefusedRequestException, StoreException {
    @Nullable String runs = running.putIfAbsent(name(request), request.content());
    if (runs != null) {
      checkSame(request, runs);
      throw conflict("a request with this Idempotency-Key is still running", Duration.ofSeconds(1));
    }
    boolean begun = false;
    try {
      Optional<Row> before = find(request);
      if (before.isEmpty()) {
        begun = true;
        return Optional.empty();
      }
      checkSame(request, before.get().content());
      Kept response = before.get().response();
      if (response.status() == BEGUN) {
        throw conflict(
            "a request with this Idempotency-Key was begun before, and its response is not known;"
                + " look what it did, and use a new key",
            Duration.ZERO);
      }
      return Optional.of(response);
    } finally {
      if (!begun) {
        running.remove(name(request));
      }
    }
  }

  private static String name(Keyed request) {
    return request.scope() + request.caller();
  }

  private static void checkSame(Keyed request, String content) throws RefusedRequestException {
    if (!content.equals(request.content())) {
      throw conflict("this Idempotency-Key was used with another request", Duration.ZERO);
    }
  }

  private static RefusedRequestException conflict(String why, Duration retryAfter) {
    return new RefusedRequestException(409, FailureCode.INVALID_REQUEST, why, retryAfter);
  }

  /** The row from before; without one, what happens once gets its row. */
  private Optional<Row> find(Keyed request) throws StoreException {
    if (request.effect() == Effect.MESSAGE) {
      return engine.read(sql -> read(sql, request));
    }
    return engine.call(
        tx -> {
          Optional<Row> before = read(tx.sql(), request);
          if (before.isEmpty()) {
            write(tx.sql(), request, new Kept(BEGUN, ""));
          }
          return before;
        });
  }

  private Optional<Row> read(Statements sql, Keyed request) throws SQLException {
    return sql.first(
        row -> new Row(row.getString(1), new Kept(row.getInt(2), row.getString(3))),
        "select content, status, body from idempotency_keys"
            + " where caller = ? and scope = ? and at >= ?",
        request.caller(),
        request.scope(),
        oldest());
  }

  /** Each row takes its place behind the caller's others, as far on as it is long. */
  private void write(Statements sql, Keyed request, Kept response) throws SQLException {
    sql.update(
        "delete from idempotency_keys where rowid in"
            + " (select rowid from idempotency_keys where at < ? limit ?)",
        oldest(),
        FORGOTTEN_AT_ONCE);
    long place =
        sql.first(
                row -> row.getLong(1),
                "select coalesce(max(place), 0) from idempotency_keys where caller = ?",
                request.caller())
            .orElse(0L);
    place += ROW_BYTES + bytes(response.body());
    sql.update(
        "delete from idempotency_keys where caller = ? and place <= ?",
        request.caller(),
        place - shareBytes);
    sql.update(
        "insert into idempotency_keys (caller, scope, content, place, at, status, body)"
            + " values (?, ?, ?, ?, ?, ?, ?) on conflict (caller, scope) do update set"
            + " content = excluded.content, place = excluded.place, at = excluded.at,"
            + " status = excluded.status, body = excluded.body",
        request.caller(),
        request.scope(),
        request.content(),
        place,
        Timestamps.of(time.now()),
        response.status(),
        response.body());
  }

  private static int bytes(String body) {
    return body.getBytes(StandardCharsets.UTF_8).length;
  }

  @Override
  public void end(Keyed request, int status, String body) {
    try {
      ending(request, new Kept(status, body)).ifPresent(this::written);
    } finally {
      running.remove(name(request));
    }
  }

  private Optional<Engine.Work<?>> ending(Keyed request, Kept response) {
    boolean isMessage = request.effect() == Effect.MESSAGE;
    if (!Idempotency.isKept(response.status())) {
      Engine.Work<Integer> forget =
          tx ->
              tx.sql()
                  .update(
                      "delete from idempotency_keys where caller = ? and scope = ?",
                      request.caller(),
                      request.scope());
      return isMessage ? Optional.empty() : Optional.of(forget);
    }
    if (request.effect() == Effect.SECRET || bytes(response.body()) > BODY_BYTES_MAX) {
      return Optional.empty();
    }
    Engine.Work<String> keep =
        tx -> {
          write(tx.sql(), request, response);
          return "";
        };
    return Optional.of(keep);
  }

  /** What the disk refuses now is written as soon as it takes it. */
  private void written(Engine.Work<?> work) {
    try {
      engine.call(work);
    } catch (StoreException _) {
      engine.later(work);
    }
  }
}
