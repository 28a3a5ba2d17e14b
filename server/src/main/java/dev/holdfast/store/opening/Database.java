package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
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

  /** The newest migration in {@code db/migration}; each sets it as its last statement. */
  static final int SCHEMA = 10;

  private final Path folder;
  private final boolean clean;

  /** What this run is known by, in the database and later in the clean marker. */
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
      Statements writer = Connections.open(file);
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
      throw Connections.refusal(file, e);
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
    return clean;
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
    int epoch = sql.first(row -> row.getInt(1), "pragma application_id").orElse(0);
    long missing = CommitMark.missing(folder, epoch, Engine.commits(sql));
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
      writer.close();
      if (mark != null) {
        mark.close();
      }
    } catch (SQLException e) {
      throw new IOException(FILE + ": " + e.getMessage(), e);
    }
  }

  /** The very last act of a clean stop, after {@link #close}. */
  public void markClean() throws IOException {
    CleanMarker.write(folder, nonce);
  }
}
