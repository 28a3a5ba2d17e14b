package dev.holdfast.store.ledgers;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.ledgers.Usage.Spent;
import dev.holdfast.store.ledgers.Usage.Whose;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * What calls of models came to, in memory: it is asked for before each call, and a month has many.
 * A sum is read from the database when it is asked for first, and follows what is added from then
 * on; what nobody asks for any more is forgotten, and read again when somebody does. Thread-safe.
 */
final class Spending {
  /** How many persons and threads are kept. */
  static final int OWNERS_MAX = 5000;

  /** How many events of theirs are kept, so that none counts as two messages. */
  private static final int EVENTS_MAX = 200_000;

  /** Of one owner: the day, the month, and those before, of which late calls may still come. */
  private static final int SUMS_MAX = 4;

  private final Engine engine;
  private final Object lock = new Object();

  /** The ones that were asked for last are at the end; so are the sums of each. */
  private final LinkedHashMap<Owner, List<Sum>> sums = new LinkedHashMap<>(16, 0.75f, true);

  private int events;

  /** {@code id}: empty for all. */
  record Owner(Whose whose, String id) {}

  /** One running sum; belongs to the lock, but for {@code read}. */
  private static final class Sum {
    final long since;
    final Set<String> events = new HashSet<>();
    long tokens;
    double costUsd;

    /** False when it was forgotten while somebody still waits for it. */
    boolean kept = true;

    /** Done when what was in the database has been added. */
    final CompletableFuture<Boolean> read = new CompletableFuture<>();

    Sum(long since) {
      this.since = since;
    }
  }

  /** What is in the database. */
  private record Rows(long tokens, double costUsd, List<String> events) {}

  Spending(Engine engine) {
    this.engine = engine;
  }

  /** Writes a call down with the next commit and counts it at once. */
  void add(ModelCallRow row, String person, Engine.Work<?> insert) {
    synchronized (lock) { // so that what is in front of a sum's reading is not counted beside it
      engine.later(insert);
      follow(new Owner(Whose.ALL, ""), row);
      follow(new Owner(Whose.PERSON, person), row);
      follow(new Owner(Whose.THREAD, row.threadId()), row);
    }
  }

  private void follow(Owner owner, ModelCallRow row) {
    for (Sum sum : sums.getOrDefault(owner, List.of())) {
      if (Timestamps.of(row.at()) >= sum.since) {
        sum.tokens += row.tokens();
        sum.costUsd += row.costUsd();
        note(owner, sum, row.eventId());
      }
    }
  }

  private void note(Owner owner, Sum sum, String eventId) {
    if (owner.whose() != Whose.ALL && sum.events.add(eventId) && sum.kept) {
      events++;
    }
  }

  /** As {@link Usage#spent}. Blocks while a sum is read. */
  Spent spent(Owner owner, Instant since, String eventId) throws StoreException {
    long from = Timestamps.of(since);
    Sum known;
    synchronized (lock) {
      known = used(owner, from);
    }
    Sum sum = known == null ? begin(owner, from) : known;
    try {
      sum.read.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case StoreException failure -> throw new StoreException(failure.failure(), failure);
        case null, default ->
            throw new IllegalStateException("the store cannot be read", e.getCause());
      }
    }
    synchronized (lock) {
      int others = sum.events.size() - (sum.events.contains(eventId) ? 1 : 0);
      return new Spent(others, sum.tokens, sum.costUsd);
    }
  }

  private @Nullable Sum used(Owner owner, long since) {
    List<Sum> all = sums.getOrDefault(owner, List.of());
    for (Sum sum : all) {
      if (sum.since == since) {
        all.remove(sum);
        all.addLast(sum);
        return sum;
      }
    }
    return null;
  }

  /** What was added before is in the database, behind a number; what comes then follows. */
  private Sum begin(Owner owner, long since) throws StoreException {
    engine.<Boolean>call(_ -> true); // what a full disk has put off is in front of the next change
    Sum sum = new Sum(since);
    CompletableFuture<Long> last;
    synchronized (lock) {
      Sum other = used(owner, since);
      if (other != null) {
        return other; // somebody else was faster
      }
      last = engine.offer(tx -> number(tx.sql(), "select max(no) from model_calls"));
      keep(owner, sum);
    }
    try {
      Rows rows = rows(owner, since, last.join());
      synchronized (lock) {
        sum.tokens += rows.tokens();
        sum.costUsd += rows.costUsd();
        rows.events().forEach(event -> note(owner, sum, event));
      }
      sum.read.complete(true);
    } catch (RuntimeException e) {
      synchronized (lock) {
        List<Sum> all = sums.get(owner);
        if (all != null && all.remove(sum)) {
          forget(List.of(sum));
        }
      }
      Throwable cause = e instanceof CompletionException ? e.getCause() : e;
      sum.read.completeExceptionally(cause == null ? e : cause);
    }
    return sum;
  }

  private static long number(Statements sql, String query) throws SQLException {
    return sql.first(row -> row.getLong(1), query).orElse(0L);
  }

  private Rows rows(Owner owner, long since, long last) {
    String column =
        switch (owner.whose()) {
          case ALL -> "''";
          case PERSON -> "person";
          case THREAD -> "thread_id";
        };
    // The plus keeps the number out of the choice of an index: it is true of nearly all rows.
    String where = " from model_calls where at >= ? and " + column + " = ? and +no <= ?";
    return engine.read(
        sql -> {
          List<String> found =
              owner.whose() == Whose.ALL
                  ? List.of()
                  : sql.list(
                      row -> row.getString(1),
                      "select distinct event_id" + where,
                      since,
                      owner.id(),
                      last);
          return sql.first(
                  row -> new Rows(row.getLong(1), row.getDouble(2), found),
                  "select sum(input_tokens + output_tokens + cache_read_tokens"
                      + " + cache_write_tokens), sum(cost_usd)"
                      + where,
                  since,
                  owner.id(),
                  last)
              .orElse(new Rows(0, 0, found));
        });
  }

  private void keep(Owner owner, Sum sum) {
    List<Sum> all = sums.computeIfAbsent(owner, _ -> new ArrayList<>());
    all.addLast(sum);
    if (all.size() > SUMS_MAX) {
      forget(List.of(all.removeFirst()));
    }
    Iterator<List<Sum>> oldest = sums.values().iterator();
    while (sums.size() > 1 && (sums.size() > OWNERS_MAX || events > EVENTS_MAX)) {
      forget(oldest.next());
      oldest.remove();
    }
  }

  private void forget(List<Sum> gone) {
    for (Sum sum : gone) {
      sum.kept = false;
      events -= sum.events.size();
    }
  }
}
