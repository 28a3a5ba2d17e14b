package dev.holdfast.store.ledgers;

import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.Timestamps;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * How rows of the audit hang together. Each field goes into the hash with its length, so that none
 * can move into the next. Without a key: who can write the file and knows this code can make
 * another whole chain; that nobody did is shown by a hash kept elsewhere.
 */
final class AuditChain {
  static final String COLUMNS =
      "no, at, what, execution, event_id, thread_id, actor, details, hash";
  static final Head START = new Head(0, "0".repeat(64));

  private static final String HEAD = "audit";
  private static final int ROWS_PER_STEP = 500;

  private AuditChain() {}

  /** The last row's number and hash. */
  record Head(long no, String hash) {
    private static final Head UNREADABLE = new Head(-1, "");

    private String text() {
      return no + " " + hash;
    }

    private static Head of(String text) {
      return text.matches("[0-9]{1,18} [0-9a-f]{64}")
          ? new Head(
              Long.parseLong(text.substring(0, text.indexOf(' '))),
              text.substring(text.indexOf(' ') + 1))
          : UNREADABLE;
    }
  }

  /**
   * Adds a row behind the head. When the head is not the last row, rows were cut off or put in by
   * somebody else; the new row then stands where the break stays visible.
   */
  static AuditRow add(Statements sql, Instant at, AuditEntry entry) throws SQLException {
    Head head = head(sql);
    long last = sql.first(row -> row.getLong(1), "select max(no) from audit").orElse(0L);
    long no = Math.max(head.no(), last) + 1;
    Instant stored = Instant.ofEpochMilli(Timestamps.of(at));
    String hash = hash(no, stored, entry, head.hash());
    sql.update(
        "insert into audit (" + COLUMNS + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        no,
        stored.toEpochMilli(),
        entry.what(),
        entry.execution(),
        entry.eventId(),
        entry.threadId(),
        entry.actor(),
        entry.detailsJson(),
        hash);
    sql.update(
        "insert into meta (name, value) values (?, ?)"
            + " on conflict (name) do update set value = excluded.value",
        HEAD,
        new Head(no, hash).text());
    return new AuditRow(no, stored, entry, hash);
  }

  /** Reads every row up to the head; rows that are added meanwhile are not looked at. */
  static AuditVerdict verify(Statements sql) throws SQLException {
    Head head = head(sql);
    if (head.no() < 0) {
      return new AuditVerdict.Broken(1, "the head of the chain is missing or unreadable");
    }
    Head at = START;
    while (at.no() < head.no()) {
      List<AuditRow> rows =
          sql.list(
              AuditChain::row,
              "select " + COLUMNS + " from audit where no > ? and no <= ? order by no limit ?",
              at.no(),
              head.no(),
              ROWS_PER_STEP);
      if (rows.isEmpty()) {
        return new AuditVerdict.Broken(
            at.no() + 1, "it is missing; the head of the chain is row " + head.no());
      }
      for (AuditRow row : rows) {
        if (row.no() != at.no() + 1) {
          return new AuditVerdict.Broken(at.no() + 1, "it is missing");
        }
        if (!row.hash().equals(hash(row.no(), row.at(), row.entry(), at.hash()))) {
          return new AuditVerdict.Broken(
              row.no(), "its hash does not fit its content and the row before it");
        }
        at = new Head(row.no(), row.hash());
      }
    }
    if (!at.hash().equals(head.hash())) {
      return new AuditVerdict.Broken(at.no(), "it is not the row that the head of the chain names");
    }
    return beyond(sql, at);
  }

  /** One statement sees one moment: a row behind the head was not written by the server. */
  private static AuditVerdict beyond(Statements sql, Head verified) throws SQLException {
    return sql.first(
            row -> judge(row, verified),
            "select value, (select no from audit where no < 1 or no > ? order by no limit 1)"
                + " from meta where name = ?",
            verified.no(),
            HEAD)
        .orElseGet(() -> new AuditVerdict.Broken(1, "the head of the chain is missing"));
  }

  private static AuditVerdict judge(ResultSet row, Head verified) throws SQLException {
    Head head = Head.of(row.getString(1));
    long outside = row.getLong(2);
    boolean unknown = !row.wasNull() && (outside < 1 || outside > head.no());
    return unknown
        ? new AuditVerdict.Broken(outside, "the head of the chain does not know it")
        : new AuditVerdict.Whole(verified.no());
  }

  static AuditRow row(ResultSet row) throws SQLException {
    return new AuditRow(
        row.getLong(1),
        Instant.ofEpochMilli(row.getLong(2)),
        new AuditEntry(
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getString(6),
            row.getString(7),
            row.getString(8)),
        row.getString(9));
  }

  private static Head head(Statements sql) throws SQLException {
    return sql.first(row -> row.getString(1), "select value from meta where name = ?", HEAD)
        .map(Head::of)
        .orElse(Head.UNREADABLE);
  }

  private static String hash(long no, Instant at, AuditEntry entry, String before) {
    MessageDigest digest = sha256();
    add(digest, "holdfast audit 1");
    add(digest, Long.toString(no));
    add(digest, Long.toString(at.toEpochMilli()));
    add(digest, entry.what());
    add(digest, entry.execution());
    add(digest, entry.eventId());
    add(digest, entry.threadId());
    add(digest, entry.actor());
    add(digest, entry.detailsJson());
    add(digest, before);
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void add(MessageDigest digest, String field) {
    byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.update((byte) (bytes.length >>> shift));
    }
    digest.update(bytes);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
