package dev.holdfast.store.ledgers;

import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What people and tools changed: rows that are added and never changed, chained by hashes. Kept for
 * ever. Thread-safe.
 */
public final class Audit {
  private static final int DETAILS_BYTES_MAX = 16_384;

  /** Of the details of one list, in units of UTF-16; those of the last row may go beyond. */
  static final long LIST_UNITS_MAX = 1024 * 1024;

  private final Engine engine;
  private final Time time;

  public Audit(Engine engine, Time time) {
    this.engine = engine;
    this.time = time;
  }

  /** Durable when it returns. Blocks; an interrupt does not cut it short. */
  public void append(AuditEntry entry) throws StoreException {
    engine.call(tx -> insert(tx, entry));
  }

  /** Written with the next commit, or when a full disk takes something again; not waited for. */
  public void later(AuditEntry entry) {
    engine.later(tx -> insert(tx, entry));
  }

  /** The same within a change that it tells of: both are kept, or neither. */
  public AuditRow insert(Transaction tx, AuditEntry entry) throws SQLException {
    return AuditChain.add(tx.sql(), time.now(), bounded(entry));
  }

  private static AuditEntry bounded(AuditEntry entry) {
    byte[] details = entry.detailsJson().getBytes(StandardCharsets.UTF_8);
    if (details.length <= DETAILS_BYTES_MAX) {
      return entry;
    }
    String hash = HexFormat.of().formatHex(AuditChain.sha256().digest(details));
    return new AuditEntry(
        entry.what(),
        entry.execution(),
        entry.eventId(),
        entry.threadId(),
        entry.actor(),
        "{\"omitted_bytes\":" + details.length + ",\"sha256\":\"" + hash + "\"}");
  }

  /**
   * Newest first; fewer than {@code max} when their details are large.
   *
   * @param before only rows with a smaller number; 0 for the newest
   */
  public List<AuditRow> list(ThreadReader reader, long before, int max) {
    return engine.read(
        sql ->
            sql.page(
                new Enough(),
                AuditChain::row,
                "select "
                    + AuditChain.COLUMNS
                    + " from audit where no < ? and "
                    + ThreadReader.MAY_SEE
                    + " order by no desc limit ?",
                before > 0 ? before : Long.MAX_VALUE,
                reader.flag(),
                reader.name(),
                max));
  }

  private static final class Enough implements Predicate<AuditRow> {
    private long units;

    @Override
    public boolean test(AuditRow row) {
      units += row.entry().detailsJson().length();
      return units >= LIST_UNITS_MAX;
    }
  }

  /** What one tool call did and what was done about it, oldest first. */
  public List<AuditRow> ofExecution(String id) {
    if (id.isEmpty()) {
      return List.of();
    }
    return engine.read(
        sql ->
            sql.list(
                AuditChain::row,
                "select "
                    + AuditChain.COLUMNS
                    + " from audit where execution = ? and execution <> '' order by no",
                id));
  }

  /** What was done in a chat thread since a time, oldest first. Blocks. */
  public List<AuditRow> ofThread(String threadId, String what, Instant since) {
    return engine.read(
        sql ->
            sql.list(
                AuditChain::row,
                "select "
                    + AuditChain.COLUMNS
                    + " from audit where no > coalesce((select no from audit where at < ?"
                    + " order by no desc limit 1), 0) and thread_id = ? and what = ? order by no",
                since.toEpochMilli(),
                threadId,
                what));
  }

  /** Reads the whole chain: about a second for some hundred thousand rows. */
  public AuditVerdict verify() {
    return engine.read(AuditChain::verify);
  }

  /**
   * The same for a data folder whose server runs or does not run, or is another version. Changes
   * nothing there. Empty when there is no audit yet.
   *
   * @throws IOException when the database cannot be read
   */
  public static Optional<AuditVerdict> verify(Path dataDir) throws IOException {
    Path file = dataDir.resolve(Connections.FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Path log = dataDir.resolve(Connections.FILE + "-wal");
    boolean logged = Files.exists(log);
    Optional<AuditVerdict> verdict = look(file, logged);
    boolean whole = verdict.map(AuditVerdict.Whole.class::isInstance).orElse(true);
    // A server that starts or stops meanwhile moves rows between the two files.
    return whole || Files.exists(log) == logged ? verdict : look(file, Files.exists(log));
  }

  private static Optional<AuditVerdict> look(Path file, boolean logged) throws IOException {
    try (Statements sql = Connections.readOnly(file, logged)) {
      boolean there =
          sql.first(
                  row -> row.getInt(1),
                  "select 1 from sqlite_schema where type = 'table' and name = 'audit'")
              .isPresent();
      return there ? Optional.of(AuditChain.verify(sql)) : Optional.empty();
    } catch (SQLException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }
}
