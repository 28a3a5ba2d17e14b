package dev.holdfast.access;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who is paired and who waits for it, on disk; of a code only its hash. What people are let in or
 * put out by stands in the audit in the same commit. Who they are is in memory as well, as of the
 * last commit, so that no message waits for the disk. Thread-safe; what changes something blocks.
 */
public final class Pairings {
  /** How long a code is good. */
  static final Duration LIFE = Duration.ofMinutes(60);

  /** How many strangers of one account wait at once. */
  static final int PENDING_MAX = 3;

  /** How many people are paired, over all accounts. */
  static final int PEOPLE_MAX = 1000;

  private static final Tables TABLES =
      new Tables(
          "access",
          List.of(
              """
              create table access_pending (
                source text not null,
                sender text not null,
                name text not null,
                thread text not null,
                reply_to text not null,
                code_hash text not null unique,
                told integer not null,
                asked_at integer not null,
                expires_at integer not null,
                primary key (source, sender)
              ) without rowid;
              create table access_people (
                source text not null,
                sender text not null,
                name text not null,
                approved_at integer not null,
                approved_by text not null,
                primary key (source, sender)
              ) without rowid;
              """));

  private static final String PENDING =
      "select source, sender, name, thread, reply_to, asked_at, expires_at from access_pending ";

  private static final String PEOPLE =
      "select source, sender, name, approved_at, approved_by from access_people ";

  private final Engine engine;
  private final Audit audit;
  private final Time time;
  private final Set<ChannelPerson> people = ConcurrentHashMap.newKeySet();
  private final Map<ChannelPerson, Instant> pendingUntil = new ConcurrentHashMap<>();

  private Pairings(Engine engine, Audit audit, Time time) {
    this.engine = engine;
    this.audit = audit;
    this.time = time;
  }

  public static Pairings open(Engine engine, Audit audit, Time time)
      throws StoreException, StartRefusedException {
    engine.bring(TABLES);
    Pairings pairings = new Pairings(engine, audit, time);
    pairings.people().forEach(paired -> pairings.people.add(paired.person()));
    pairings.pending().forEach(pairings::remember);
    return pairings;
  }

  private void remember(PendingPairing asked) {
    pendingUntil.put(asked.person(), asked.expiresAt());
  }

  /** From memory. */
  boolean isPaired(ChannelPerson person) {
    return people.contains(person);
  }

  /** Whether a stranger may get a code or has one; from memory. */
  boolean mayAsk(ChannelPerson person) {
    forgetExpired();
    return pendingUntil.containsKey(person)
        || pendingUntil.keySet().stream()
                .filter(each -> each.source().equals(person.source()))
                .count()
            < PENDING_MAX;
  }

  /** How many strangers wait; from memory. */
  int pendingCount() {
    forgetExpired();
    return pendingUntil.size();
  }

  private void forgetExpired() {
    Instant now = time.now();
    pendingUntil.values().removeIf(until -> !until.isAfter(now));
  }

  /** Those whose codes are good, the one that has waited longest first. */
  public List<PendingPairing> pending() {
    return engine.read(
        sql ->
            sql.list(
                Pairings::pending,
                PENDING + "where expires_at > ? order by asked_at, source, sender",
                Timestamps.of(time.now())));
  }

  /** Those who are paired, by account and id. */
  public List<PairedPerson> people() {
    return engine.read(sql -> sql.list(Pairings::paired, PEOPLE + "order by source, sender"));
  }

  /**
   * Writes down under which code the person asks; durable on return, and only then may the code be
   * told. One that was not told before is replaced.
   */
  PairingRequest ask(PendingPairing asked, String codeHash) throws StoreException {
    return engine.call(tx -> ask(tx, asked, codeHash));
  }

  private PairingRequest ask(Transaction tx, PendingPairing asked, String codeHash)
      throws SQLException {
    Statements sql = tx.sql();
    ChannelPerson person = asked.person();
    sql.update("delete from access_pending where expires_at <= ?", Timestamps.of(asked.askedAt()));
    if (isThere(sql, PEOPLE + "where source = ? and sender = ?", person)) {
      return PairingRequest.PAIRED;
    }
    if (isThere(sql, PENDING + "where source = ? and sender = ? and told = 1", person)) {
      return PairingRequest.TOLD_BEFORE;
    }
    sql.update(
        "delete from access_pending where source = ? and sender = ?",
        person.source(),
        person.sender());
    if (count(sql, "select count(*) from access_pending where source = ?", person.source())
        >= PENDING_MAX) {
      return PairingRequest.FULL;
    }
    sql.update(
        "insert into access_pending (source, sender, name, thread, reply_to, code_hash, told,"
            + " asked_at, expires_at) values (?, ?, ?, ?, ?, ?, 0, ?, ?)",
        person.source(),
        person.sender(),
        asked.name(),
        asked.thread(),
        asked.replyTo(),
        codeHash,
        Timestamps.of(asked.askedAt()),
        Timestamps.of(asked.expiresAt()));
    tx.afterCommit(() -> remember(asked));
    return PairingRequest.TAKEN;
  }

  /** The person has the code: it is not replaced any more. Written with the next commit. */
  void told(ChannelPerson person, String codeHash) {
    engine.later(
        tx ->
            tx.sql()
                .update(
                    "update access_pending set told = 1"
                        + " where source = ? and sender = ? and code_hash = ?",
                    person.source(),
                    person.sender(),
                    codeHash));
  }

  /**
   * Pairs whoever asks under the code, if it is still good; a code works once. Durable on return.
   *
   * @param by as in {@link AuditEntry#actor}
   */
  PairingVerdict approve(String codeHash, String by) throws StoreException {
    return engine.call(tx -> approve(tx, codeHash, by));
  }

  private PairingVerdict approve(Transaction tx, String codeHash, String by) throws SQLException {
    Statements sql = tx.sql();
    Instant now = time.now();
    Optional<PendingPairing> asked =
        sql.first(
            Pairings::pending,
            PENDING + "where code_hash = ? and expires_at > ?",
            codeHash,
            Timestamps.of(now));
    if (asked.isEmpty()) {
      return new PairingVerdict.WrongCode();
    }
    if (count(sql, "select count(*) from access_people") >= PEOPLE_MAX) {
      return new PairingVerdict.TooManyPeople(PEOPLE_MAX);
    }
    ChannelPerson person = asked.get().person();
    PairedPerson paired = new PairedPerson(person, asked.get().name(), now, by);
    sql.update(
        "insert into access_people (source, sender, name, approved_at, approved_by)"
            + " values (?, ?, ?, ?, ?)",
        person.source(),
        person.sender(),
        paired.name(),
        Timestamps.of(now),
        by);
    sql.update("delete from access_pending where code_hash = ?", codeHash);
    note(tx, "pairing.approved", person, paired.name(), by);
    tx.afterCommit(
        () -> {
          people.add(person);
          pendingUntil.remove(person);
        });
    return new PairingVerdict.Paired(paired, asked.get());
  }

  /** Ends a pairing, or the wait for one; durable on return. False when there was neither. */
  boolean revoke(ChannelPerson person, String by) throws StoreException {
    return engine.call(
        tx -> {
          int changed =
              delete(tx, "delete from access_people where source = ? and sender = ?", person)
                  + delete(
                      tx, "delete from access_pending where source = ? and sender = ?", person);
          if (changed == 0) {
            return false;
          }
          note(tx, "pairing.revoked", person, "", by);
          tx.afterCommit(
              () -> {
                people.remove(person);
                pendingUntil.remove(person);
              });
          return true;
        });
  }

  private static int delete(Transaction tx, String sql, ChannelPerson person) throws SQLException {
    return tx.sql().update(sql, person.source(), person.sender());
  }

  private void note(Transaction tx, String what, ChannelPerson person, String name, String by)
      throws SQLException {
    JsonObject details =
        new JsonObject().put("account", person.source()).put("sender", person.sender());
    if (!name.isEmpty()) {
      details.put("name", name);
    }
    audit.insert(tx, new AuditEntry(what, "", "", "", by, details.encode()));
  }

  private static boolean isThere(Statements sql, String query, ChannelPerson person)
      throws SQLException {
    return sql.first(row -> row.getString(1), query, person.source(), person.sender()).isPresent();
  }

  private static long count(Statements sql, String query, Object... parameters)
      throws SQLException {
    return sql.first(row -> row.getLong(1), query, parameters).orElse(0L);
  }

  private static PendingPairing pending(ResultSet row) throws SQLException {
    return new PendingPairing(
        ChannelPerson.of(row.getString(1), row.getString(2)),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        Instant.ofEpochMilli(row.getLong(6)),
        Instant.ofEpochMilli(row.getLong(7)));
  }

  private static PairedPerson paired(ResultSet row) throws SQLException {
    return new PairedPerson(
        ChannelPerson.of(row.getString(1), row.getString(2)),
        row.getString(3),
        Instant.ofEpochMilli(row.getLong(4)),
        row.getString(5));
  }
}
