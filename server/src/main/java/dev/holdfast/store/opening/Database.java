package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Integrity;
import dev.holdfast.store.engine.Repairs;
import dev.holdfast.store.engine.Schema;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteDataSource;

/**
 * Opens {@code holdfast.db}, checks that it is whole and ours, and brings its tables up to date.
 */
public final class Database implements Engine.Source {
  private static final Logger LOG = LoggerFactory.getLogger(Database.class);
  private static final String FILE = Connections.FILE;

  /** All that it keeps in the data folder, but for the clean marker. */
  public static final List<String> FILES =
      List.of(FILE, FILE + "-wal", FILE + "-shm", RunRecord.NAME, CommitMark.NAME);

  /** What stands in {@code db/migration}; each sets its number as its last statement. */
  private static final List<String> MIGRATIONS =
      List.of(
          "V1__events_and_replies",
          "V2__approvals",
          "V3__audit",
          "V4__schedules",
          "V5__reply_files",
          "V6__hot_pages",
          "V7__one_open_wakeup",
          "V8__replays",
          "V9__questions_of_events",
          "V10__paced_replies",
          "V12__approval_buttons");

  static final int SCHEMA = numberOf(MIGRATIONS.getLast());

  private final Path folder;
  private final State found;

  /** What this run is known by, in the database and later in the clean marker. */
  private final String nonce = UUID.randomUUID().toString();

  private final Statements writer;
  private final Instant lastSign;
  private @Nullable CommitMark mark;

  private Database(Path folder, Statements writer, State found, Instant lastSign) {
    this.lastSign = lastSign;
    this.folder = folder;
    this.writer = writer;
    this.found = found;
  }

  /**
   * How the last run left the file.
   *
   * @param changed whether it is another one than at its clean stop
   * @param full whether its indexes were held against its tables too
   * @param mended the indexes that were made anew
   * @param stopped whether the run was stopped in order, though its end could not be written
   */
  private record State(
      boolean clean, boolean changed, boolean full, Set<String> mended, boolean stopped) {
    static final State CLEAN = new State(true, false, false, Set.of(), true);
  }

  /**
   * @throws StartRefusedException 65 when the database is damaged, newer than this program or not
   *     the one of the last run; 74 when the disk cannot be used
   */
  public static Database open(Path folder) throws StartRefusedException {
    Path file = folder.resolve(FILE);
    try {
      AtomicFiles.createFolders(folder);
      RunRecord run = new RunRecord(folder);
      run.requireRestored();
      boolean fresh = run.isFirst();
      if (fresh) {
        run.creating();
        AtomicFiles.create(file);
      }
      Instant lastSign = lastSign(folder);
      CleanMarker claimed = CleanMarker.read(folder);
      boolean changed = false;
      if (!fresh) {
        run.check(claimed.isThere());
        changed = claimed.contradicts(file);
      }
      if (AtomicFiles.isOpenToOthers(file)) {
        LOG.warn("store: other users could access {}; their permissions were removed", file);
        AtomicFiles.restrict(file);
      }
      boolean logged = !fresh && Files.exists(folder.resolve(FILE + "-wal"));
      try (@Nullable Statements _ = logged ? Connections.keeper(file) : null) {
        return open(folder, run, fresh, claimed, changed, lastSign);
      }
    } catch (IOException e) {
      throw new StartRefusedException(StartRefusedException.IO, file + ": " + e.getMessage(), e);
    } catch (SQLException e) {
      throw Connections.refusal(file, e);
    }
  }

  private static Database open(
      Path folder,
      RunRecord run,
      boolean fresh,
      CleanMarker claimed,
      boolean changed,
      Instant lastSign)
      throws IOException, SQLException, StartRefusedException {
    Path file = folder.resolve(FILE);
    Statements writer = Connections.open(file);
    @Nullable Database opened = null;
    try {
      writer.of("pragma cache_size = -65536").execute(); // the indexes of a million events
      State found = fresh ? State.CLEAN : check(writer, claimed, changed, folder);
      if (!found.clean()) {
        requireAllCommits(writer, run, folder);
      }
      migrate(writer, file);
      Database database = new Database(folder, writer, found, lastSign);
      database.begin(run);
      opened = database;
      return database;
    } finally {
      if (opened == null) {
        writer.close();
      }
    }
  }

  @Override
  public Path folder() {
    return folder;
  }

  @Override
  public Statements writer() {
    return writer;
  }

  /** Whether the last run ended as it should; true for a new database. */
  public boolean wasClean() {
    return found.clean();
  }

  /** Whether the last run was stopped in order, even if it could not write so into the file. */
  public boolean wasStopped() {
    return found.stopped();
  }

  /** When the last run wrote to its files last. */
  public Instant lastSign() {
    return lastSign;
  }

  /** What the check after an unclean stop has found, for people. */
  public String integrity() {
    if (found.clean()) {
      return "not needed after a clean stop";
    }
    String checked =
        found.full()
            ? "the whole database was checked"
            : "the database was checked; for its size, its indexes are checked while the server"
                + " runs";
    String changed = found.changed() ? "; the file was changed after the last clean stop" : "";
    return found.mended().isEmpty()
        ? checked + " and is intact" + changed
        : checked + "; indexes were damaged and made anew: " + names(found.mended()) + changed;
  }

  /** Whether the file was another one than the last run left, or lacked anything. */
  public boolean wasMended() {
    return found.changed() || !found.mended().isEmpty();
  }

  private static String names(Set<String> indexes) {
    return String.join(", ", indexes);
  }

  private static Instant lastSign(Path folder) throws IOException {
    Instant last = Instant.EPOCH;
    for (String name : List.of(FILE, FILE + "-wal", CommitMark.NAME)) {
      Path file = folder.resolve(name);
      Instant written =
          Files.exists(file) ? Files.getLastModifiedTime(file).toInstant() : Instant.EPOCH;
      last = written.isAfter(last) ? written : last;
    }
    return last;
  }

  /** Tells what was found wrong with the file and put right. */
  public void tell(Repairs repairs) {
    if (found.changed()) {
      repairs.add(
          Repairs.What.FILE,
          1,
          FILE + " was changed after the last clean stop; it was checked, and is used as it is");
    }
    if (!found.mended().isEmpty()) {
      repairs.add(
          Repairs.What.INDEX,
          found.mended().size(),
          "indexes lacked rows of their tables and were made anew: " + names(found.mended()));
    }
  }

  @Override
  public void committed(long commits) {
    CommitMark current = mark;
    if (current != null) {
      current.write(commits);
    }
  }

  @Override
  public Statements another() throws SQLException {
    return Connections.open(folder.resolve(FILE));
  }

  /**
   * What a start would check, without a change. Blocks for as long as the file takes to be read.
   *
   * @param inUse whether a server uses it; if not, nothing may be missing
   * @return what a start would mend; empty when all is well
   * @throws StartRefusedException as {@link #open}
   */
  public static Optional<String> inspect(Path folder, boolean inUse) throws StartRefusedException {
    Path file = folder.resolve(FILE);
    try {
      RunRecord run = new RunRecord(folder);
      run.requireRestored();
      if (run.isFirst()) {
        return Optional.empty();
      }
      CleanMarker claimed = CleanMarker.read(folder);
      if (!inUse) {
        run.check(claimed.isThere());
      }
      boolean changed = !inUse && claimed.contradicts(file);
      try (Statements sql =
          Connections.readOnly(file, Files.exists(folder.resolve(FILE + "-wal")))) {
        requireKnownVersion(sql, file);
        if (!inUse && !claimed.isThere()) {
          requireAllCommits(sql, run, folder);
        }
        Integrity found = Integrity.full(sql);
        if (!found.isWhole() && found.indexes().isEmpty()) {
          throw damaged(file, found);
        }
        return !found.isWhole()
            ? Optional.of("indexes that differ from their tables: " + found.indexes())
            : changed
                ? Optional.of(FILE + " was changed after the last clean stop")
                : Optional.empty();
      }
    } catch (IOException e) {
      throw new StartRefusedException(StartRefusedException.IO, file + ": " + e.getMessage(), e);
    } catch (SQLException e) {
      throw Connections.refusal(file, e);
    }
  }

  /**
   * Whether no database has ever been in use in the folder.
   *
   * @throws StartRefusedException 65 when the one of an earlier run is gone or empty
   */
  public static boolean isMissing(Path folder) throws IOException, StartRefusedException {
    return new RunRecord(folder).isFirst();
  }

  private static StartRefusedException damaged(Path file, Integrity found) {
    return new StartRefusedException(
        StartRefusedException.DAMAGED,
        file + " is damaged: " + found.text() + "; restore a backup");
  }

  /** Finds out whether the last run ended cleanly; if not, the whole file is checked. */
  private static State check(Statements sql, CleanMarker claimed, boolean changed, Path folder)
      throws IOException, SQLException, StartRefusedException {
    Path file = folder.resolve(FILE);
    long version = requireKnownVersion(sql, file);
    boolean left = version > 0 && claimed.isThere() && claimed.nonce().equals(storedNonce(sql));
    if (left && !changed) {
      return State.CLEAN;
    }
    LOG.info("store: the last run did not end cleanly, checking {}", FILE);
    boolean full = Files.size(file) <= FileSum.BYTES_MAX;
    Integrity found = full ? Integrity.full(sql) : Integrity.quick(sql);
    Set<String> mended = found.isWhole() ? Set.of() : mend(sql, found);
    if (!found.isWhole() && mended.isEmpty()) {
      throw damaged(file, found);
    }
    boolean stopped = version > 0 && StopMark.tellsOf(folder, storedNonce(sql));
    return new State(false, left, full, mended, stopped);
  }

  static long requireKnownVersion(Statements sql, Path file)
      throws IOException, SQLException, StartRefusedException {
    long version = sql.first(row -> row.getLong(1), "pragma user_version").orElse(0L);
    if (version > SCHEMA) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          file
              + " was written by a newer Holdfast (tables of version "
              + version
              + ", this one knows "
              + SCHEMA
              + "); start that version, or restore a backup from before the upgrade");
    }
    if (isOfThisVersion(sql)) {
      requireSchema(sql, file);
    }
    return version;
  }

  static boolean isOfThisVersion(Statements sql) throws SQLException {
    return sql.first(row -> row.getLong(1), "pragma user_version").orElse(0L) == SCHEMA;
  }

  private static Set<String> mend(Statements sql, Integrity found) throws SQLException {
    sql.of("begin immediate").execute();
    Set<String> mended = found.mend(sql);
    sql.of(mended.isEmpty() ? "rollback" : "commit").execute();
    return mended;
  }

  static void requireSchema(Statements sql, Path file)
      throws IOException, SQLException, StartRefusedException {
    List<String> scripts = new ArrayList<>();
    for (String migration : MIGRATIONS) {
      scripts.add(script("/db/migration/" + migration + ".sql"));
    }
    List<String> changed = Schema.of(scripts).differencesIn(Schema.in(sql));
    if (!changed.isEmpty()) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED, file + " is damaged: " + Schema.damage(changed));
    }
  }

  private static int numberOf(String migration) {
    return Integer.parseInt(migration.substring(1, migration.indexOf("__")));
  }

  private static String script(String resource) throws IOException {
    try (InputStream in = Database.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new FileNotFoundException("not in this program: " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static void requireAllCommits(Statements sql, RunRecord run, Path folder)
      throws IOException, SQLException, StartRefusedException {
    if (run.acceptsLoss()) {
      return;
    }
    Path file = folder.resolve(FILE);
    if (run.isWithoutItsRun()) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          file
              + " was copied from a running server without the rest of its data: messages are"
              + " missing. Copy it again with: holdfast backup. Or "
              + RunRecord.HOW_TO_ACCEPT);
    }
    int epoch = sql.first(row -> row.getInt(1), "pragma application_id").orElse(RunRecord.ENDED);
    long missing = CommitMark.missing(folder, epoch, Engine.commits(sql));
    if (missing > 0) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          file
              + " and its log lack the last "
              + missing
              + " commits; restore a backup, or "
              + RunRecord.HOW_TO_ACCEPT);
    }
  }

  private static String storedNonce(Statements sql) throws SQLException {
    return sql.first(row -> row.getString(1), "select value from meta where name = 'run'")
        .orElse("");
  }

  private static void migrate(Statements sql, Path file)
      throws IOException, SQLException, StartRefusedException {
    long version = sql.first(row -> row.getLong(1), "pragma user_version").orElse(0L);
    if (isOfThisVersion(sql)) {
      return; // Flyway takes longer than all the rest of a start
    }
    LOG.info("store: upgrading {} from version {} to {}", FILE, version, SCHEMA);
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + file);
    Flyway.configure(Database.class.getClassLoader())
        .dataSource(source)
        .locations("classpath:db/migration")
        .failOnMissingLocations(true)
        .load()
        .migrate();
    requireSchema(sql, file);
  }

  /** Marks the database, and then the folder, as belonging to this run. */
  private void begin(RunRecord run) throws IOException, SQLException {
    int epoch = run.next();
    writer.of("begin immediate").execute();
    writer.update(
        "insert into meta (name, value) values ('run', ?)"
            + " on conflict (name) do update set value = excluded.value",
        nonce);
    writer.of("pragma application_id = " + epoch).execute();
    writer.of("commit").execute();
    writer.list(row -> row.getInt(1), "pragma wal_checkpoint(truncate)");
    run.running(epoch);
    mark = CommitMark.begin(folder, epoch);
    StopMark.prepare(folder, nonce);
    CleanMarker.remove(folder);
  }

  /** Notes that the run was stopped in order; needs no room on the disk. */
  public void markStopped() throws IOException {
    StopMark.set(folder);
  }

  /**
   * Empties the log, so that the file alone is the database; call it when all other connections are
   * closed.
   */
  public void close() throws IOException {
    try {
      int epoch = writer.first(row -> row.getInt(1), "pragma application_id").orElseThrow();
      RunRecord.ending(folder, epoch);
      writer.of("pragma application_id = " + RunRecord.ENDED).execute();
      writer.list(row -> row.getInt(1), "pragma wal_checkpoint(truncate)");
      CommitMark.remove(folder);
      RunRecord.ended(folder);
      writer.close();
      if (mark != null) {
        mark.close();
      }
    } catch (SQLException e) {
      throw new IOException(FILE + ": " + e.getMessage(), e);
    }
  }

  /** Lets go of it after a start that failed. The next one checks it. */
  public void giveUp() {
    try {
      writer.close();
      if (mark != null) {
        mark.close();
      }
    } catch (SQLException | IOException e) {
      LOG.warn("store: {} was not closed after the failed start: {}", FILE, e.getMessage());
    }
  }

  /** The very last act of a clean stop, after {@link #close}. */
  public void markClean() throws IOException {
    new CleanMarker(nonce, FileSum.of(folder.resolve(FILE))).write(folder);
  }
}
