package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Count;
import dev.holdfast.store.engine.DiskErrors;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.JDBC;
import org.sqlite.SQLiteDataSource;

/**
 * Opens {@code holdfast.db}, checks that it is whole and ours, and brings its tables up to date.
 */
public final class Database {
  private static final Logger LOG = LoggerFactory.getLogger(Database.class);
  public static final String FILE = "holdfast.db";

  /** The newest migration in {@code db/migration}; each sets it as its last statement. */
  static final int SCHEMA = 9;

  /** Older ones can corrupt a log that several connections use. */
  private static final int[] SQLITE_MIN = {3, 51, 3};

  private static final String COUNTERS =
      "select 1 from sqlite_master where type = 'table' and name = 'counters'";
  private static final String COMMITS = "select n from counters where name = ?";

  private static final List<String> PRAGMAS =
      List.of(
          "pragma busy_timeout = 5000",
          "pragma journal_mode = wal",
          "pragma synchronous = full",
          "pragma mmap_size = 0",
          "pragma trusted_schema = off",
          "pragma wal_autocheckpoint = 0",
          "pragma journal_size_limit = 67108864",
          "pragma temp_store = memory");

  private final Path folder;
  private final boolean clean;
  private final String nonce = UUID.randomUUID().toString();
  private final Statements writer;
  private @Nullable CommitMark mark;

  private Database(Path folder, Statements writer, boolean clean) {
    this.folder = folder;
    this.writer = writer;
    this.clean = clean;
  }

  /**
   * @throws StartRefusedException 65 when the database is damaged, newer than this program or not
   *     the one of the last run; 74 when the disk cannot be used
   */
  public static Database open(Path folder) throws StartRefusedException {
    Path file = folder.resolve(FILE);
    try {
      AtomicFiles.createFolders(folder);
      boolean fresh = AtomicFiles.create(file) || Files.size(file) == 0;
      String claimed = CleanMarker.read(folder);
      RunRecord run = new RunRecord(folder);
      if (!fresh) {
        run.check(!claimed.isEmpty());
      }
      if (AtomicFiles.isOpenToOthers(file)) {
        LOG.warn("store: other users could access {}; their permissions were removed", file);
        AtomicFiles.restrict(file);
      }
      Statements writer = connect(file);
      writer.of("pragma cache_size = -65536").execute(); // the indexes of a million events
      boolean clean = fresh;
      if (!fresh) {
        clean = check(writer, claimed, file);
        if (run.isThere()) {
          requireAllCommits(writer, folder);
        }
      }
      migrate(writer, file);
      Database database = new Database(folder, writer, clean);
      database.begin(run);
      return database;
    } catch (IOException e) {
      throw new StartRefusedException(StartRefusedException.IO, file + ": " + e.getMessage(), e);
    } catch (SQLException e) {
      throw refusal(folder, e);
    }
  }

  public static StartRefusedException refusal(Path folder, SQLException e) {
    boolean damaged = DiskErrors.of(e) == DiskErrors.Verdict.DAMAGED;
    return new StartRefusedException(
        damaged ? StartRefusedException.DAMAGED : StartRefusedException.IO,
        folder.resolve(FILE) + (damaged ? " is damaged: " : " cannot be opened: ") + e.getMessage(),
        e);
  }

  public Path folder() {
    return folder;
  }

  public Statements writer() {
    return writer;
  }

  /** Whether the last run ended as it should; true for a new database. */
  public boolean wasClean() {
    return clean;
  }

  /** What this run is known by, in the database and later in the clean marker. */
  public String nonce() {
    return nonce;
  }

  /** After a commit of the writer: {@code commits} have been made since the database is there. */
  public void committed(long commits) {
    CommitMark current = mark;
    if (current != null) {
      current.write(commits);
    }
  }

  /** One more connection to the same file. */
  public Statements another() throws SQLException {
    return connect(folder.resolve(FILE));
  }

  /**
   * For a look from outside, at a database that a server may have open.
   *
   * @param logged whether its log exists; without one the file alone is the database, and SQLite
   *     would make a log that belongs to whoever looks
   */
  public static Statements readOnly(Path file, boolean logged) throws SQLException {
    String uri =
        file.toAbsolutePath().toUri().getRawPath() + (logged ? "?mode=ro" : "?immutable=1");
    Connection connection = JDBC.createConnection("jdbc:sqlite:file:" + uri, new Properties());
    try (Statement statement = connection.createStatement()) {
      statement.execute("pragma busy_timeout = 5000");
      statement.execute("pragma query_only = on");
      statement.execute("pragma trusted_schema = off");
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
    return new Statements(connection);
  }

  private static Statements connect(Path file) throws SQLException {
    Properties properties = new Properties();
    // Else the driver prepares and runs a query for the new row's number after each insert.
    properties.setProperty("jdbc.get_generated_keys", "false");
    Connection connection = JDBC.createConnection("jdbc:sqlite:" + file, properties);
    try (Statement statement = connection.createStatement()) {
      requireVersion(statement);
      for (String pragma : PRAGMAS) {
        statement.execute(pragma);
      }
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
    // The driver would test for an open transaction after each statement; transactions are begun by
    // hand here.
    connection.setAutoCommit(false);
    Statements sql = new Statements(connection);
    sql.of("commit").execute();
    return sql;
  }

  private static void requireVersion(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("select sqlite_version()")) {
      String version = row.getString(1);
      int[] parts = Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
      if (Arrays.compare(parts, SQLITE_MIN) < 0) {
        throw new SQLException("SQLite " + version + " can corrupt its log; 3.51.3 is needed");
      }
    }
  }

  /** Returns whether the last run ended cleanly; if not, the whole file is checked. */
  private static boolean check(Statements sql, String claimed, Path file)
      throws SQLException, StartRefusedException {
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
    if (version > 0 && !claimed.isEmpty() && claimed.equals(storedNonce(sql))) {
      return true;
    }
    LOG.info("store: the last run did not end cleanly, checking {}", FILE);
    List<String> problems = sql.list(row -> row.getString(1), "pragma quick_check(5)");
    if (!problems.equals(List.of("ok"))) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          file + " is damaged: " + String.join("; ", problems) + "; restore a backup");
    }
    return false;
  }

  private static void requireAllCommits(Statements sql, Path folder)
      throws IOException, SQLException, StartRefusedException {
    boolean empty = sql.list(row -> row.getInt(1), COUNTERS).isEmpty();
    long commits =
        empty ? 0 : sql.first(row -> row.getLong(1), COMMITS, Count.COMMITS.name()).orElse(0L);
    int epoch = sql.first(row -> row.getInt(1), "pragma application_id").orElse(0);
    long missing = CommitMark.missing(folder, epoch, commits);
    if (missing > 0) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          folder.resolve(FILE)
              + " and its log lack the last "
              + missing
              + " commits; restore a backup, or move "
              + RunRecord.NAME
              + " away to start without them");
    }
  }

  private static String storedNonce(Statements sql) throws SQLException {
    return sql.first(row -> row.getString(1), "select value from meta where name = 'run'")
        .orElse("");
  }

  private static void migrate(Statements sql, Path file) throws SQLException {
    long version = sql.first(row -> row.getLong(1), "pragma user_version").orElse(0L);
    if (version == SCHEMA) {
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
    CleanMarker.remove(folder);
  }

  /**
   * Empties the log, so that the file alone is the database; call it when all other connections are
   * closed.
   */
  public void close() throws IOException {
    try {
      writer.list(row -> row.getInt(1), "pragma wal_checkpoint(truncate)");
      CommitMark.remove(folder);
      RunRecord.ended(folder);
      writer.connection().close();
      if (mark != null) {
        mark.close();
      }
    } catch (SQLException e) {
      throw new IOException(FILE + ": " + e.getMessage(), e);
    }
  }
}
