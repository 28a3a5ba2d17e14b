package dev.holdfast.store.engine;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.sqlite.JDBC;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Connects to the database, with all the settings that its durability hangs on. */
public final class Connections {
  public static final String FILE = "holdfast.db";

  /** Older ones can corrupt a log that several connections use. */
  private static final int[] SQLITE_MIN = {3, 51, 3};

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

  private Connections() {}

  /** A connection that may write. Makes the file when it is missing. */
  public static Statements open(Path file) throws SQLException {
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

  /**
   * Keeps the log as it is when it is opened before those that may write, and closed after them:
   * the last one would merge it into the file, and remove it. What is refused must stay as it was
   * found.
   */
  public static Statements keeper(Path file) throws SQLException {
    Statements sql = readOnly(file, true);
    try {
      sql.list(
          row -> row.getInt(1), "pragma schema_version"); // SQLite opens the log at the first read
      return sql;
    } catch (SQLException e) {
      sql.close();
      throw e;
    }
  }

  /** An empty database that is gone when it is closed. */
  static Statements memory() throws SQLException {
    return new Statements(JDBC.createConnection("jdbc:sqlite::memory:", new Properties()));
  }

  /** What to tell an operator when the file cannot be opened. */
  public static StartRefusedException refusal(Path file, SQLException e) {
    return DiskErrors.of(e) == DiskErrors.Verdict.DAMAGED
        ? new StartRefusedException(
            StartRefusedException.DAMAGED,
            file + " is damaged: " + reason(e) + "; restore a backup",
            e)
        : new StartRefusedException(
            StartRefusedException.IO,
            file + " cannot be opened: " + reason(e) + (isFull(e) ? "; free some space" : ""),
            e);
  }

  /** Whether a write failed for want of space or rights, and changed nothing. */
  public static boolean isRefused(SQLException e) {
    return DiskErrors.of(e) == DiskErrors.Verdict.REFUSED;
  }

  private static boolean isFull(SQLException e) {
    return e instanceof SQLiteException failure
        && failure.getResultCode() == SQLiteErrorCode.SQLITE_FULL;
  }

  /** What SQLite said, once: its driver says the same again in brackets, in other words. */
  public static String reason(SQLException e) {
    return isFull(e)
        ? "its disk is full"
        : String.valueOf(e.getMessage()).replaceFirst("^(\\[\\w+] .+?) \\([^()]*\\)$", "$1");
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
}
