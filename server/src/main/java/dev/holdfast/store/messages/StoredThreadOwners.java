package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Owners as rows; those that were asked for last are remembered. */
public final class StoredThreadOwners implements ThreadOwners {
  public static final Tables TABLES =
      new Tables(
          "thread_owners",
          List.of(
              """
              create table thread_owners (
                thread_id text primary key,
                owner text not null,
                shared integer not null
              ) without rowid;
              create index thread_owners_owner on thread_owners (owner);
              create index thread_owners_shared on thread_owners (thread_id) where shared = 1;
              """));

  private static final int REMEMBERED_MAX = 20_000;

  private final Engine engine;
  private final Map<String, Ownership> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Ownership> eldest) {
          return size() > REMEMBERED_MAX;
        }
      };

  public StoredThreadOwners(Engine engine) {
    this.engine = engine;
  }

  @Override
  public Ownership find(String threadId) {
    synchronized (remembered) {
      Ownership known = remembered.get(threadId);
      if (known != null) {
        return known;
      }
    }
    return remember(threadId, engine.read(sql -> read(sql, threadId)));
  }

  /** What another has just changed is newer than what was read before that. */
  private Ownership remember(String threadId, Ownership read) {
    if (read instanceof Ownership.Fresh) {
      return read; // anybody may begin it at any moment
    }
    synchronized (remembered) {
      Ownership newer = remembered.putIfAbsent(threadId, read);
      return newer == null ? read : newer;
    }
  }

  private static Ownership read(Statements sql, String threadId) throws SQLException {
    Optional<Ownership> owned =
        sql.first(
            row -> new Ownership.Owned(row.getString(1), row.getInt(2) != 0),
            "select owner, shared from thread_owners where thread_id = ?",
            threadId);
    if (owned.isPresent()) {
      return owned.get();
    }
    boolean written =
        sql.first(row -> row.getLong(1), "select no from threads where thread_id = ?", threadId)
            .isPresent();
    return written ? new Ownership.OfOperators() : new Ownership.Fresh();
  }

  @Override
  public Ownership claim(String threadId, String owner, boolean shared) throws StoreException {
    Ownership now =
        engine.call(
            tx -> {
              tx.sql()
                  .update(
                      "insert into thread_owners (thread_id, owner, shared) select ?, ?, ?"
                          + " where not exists (select 1 from threads where thread_id = ?)"
                          + " on conflict do nothing",
                      threadId,
                      owner,
                      shared ? 1 : 0,
                      threadId);
              return read(tx.sql(), threadId);
            });
    return remember(threadId, now);
  }

  @Override
  public void share(String threadId, boolean shared) throws StoreException {
    engine.call(
        tx -> {
          int changed =
              tx.sql()
                  .update(
                      "update thread_owners set shared = ? where thread_id = ?",
                      shared ? 1 : 0,
                      threadId);
          Ownership now = read(tx.sql(), threadId);
          // On the writer's thread, so that of two changes the later one is remembered.
          tx.afterCommit(() -> replace(threadId, now));
          return changed;
        });
  }

  private void replace(String threadId, Ownership now) {
    synchronized (remembered) {
      remembered.put(threadId, now);
    }
  }
}
