package dev.holdfast.store.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.sqlite.SQLiteConnection;

/**
 * The prepared statements of one connection; each text is prepared once. Used by one thread at a
 * time.
 */
public final class Statements implements AutoCloseable {
  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  Statements(Connection connection) {
    this.connection = connection;
  }

  Connection connection() {
    return connection;
  }

  /** {@code sql} is a constant: the number of different texts is the bound of this cache. */
  PreparedStatement of(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    return statement;
  }

  /**
   * After an error: the driver closes the statement that failed, without telling. All are prepared
   * anew.
   */
  void forget() {
    for (PreparedStatement statement : prepared.values()) {
      try {
        statement.close();
      } catch (SQLException _) {
        // It was closed already.
      }
    }
    prepared.clear();
  }

  /** The statement with its parameters: texts, whole numbers and byte arrays. */
  public PreparedStatement of(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = of(sql);
    for (int i = 0; i < parameters.length; i++) {
      switch (parameters[i]) {
        case String text -> statement.setString(i + 1, text);
        case Long number -> statement.setLong(i + 1, number);
        case Integer number -> statement.setInt(i + 1, number);
        case Double number -> statement.setDouble(i + 1, number);
        case byte[] bytes -> statement.setBytes(i + 1, bytes);
        default ->
            throw new IllegalArgumentException("no column type for " + parameters[i].getClass());
      }
    }
    return statement;
  }

  /** Statements without parameters, each ended by a semicolon; not kept. */
  void script(String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(text);
    }
  }

  /** Breaks off what runs on this connection now; safe from any thread. */
  void interrupt() {
    try {
      connection.unwrap(SQLiteConnection.class).getDatabase().interrupt();
    } catch (SQLException _) {
      // It is closed: nothing runs on it.
    }
  }

  public int update(String sql, Object... parameters) throws SQLException {
    return of(sql, parameters).executeUpdate();
  }

  public <T> List<T> list(Row<T> row, String sql, Object... parameters) throws SQLException {
    List<T> found = new ArrayList<>();
    try (ResultSet rows = of(sql, parameters).executeQuery()) {
      while (rows.next()) {
        found.add(row.read(rows));
      }
    }
    return found;
  }

  /**
   * As {@link #list}, and no further than to the row with which there is {@code enough}: the rest
   * is not even read.
   */
  public <T> List<T> page(Predicate<T> enough, Row<T> row, String sql, Object... parameters)
      throws SQLException {
    List<T> found = new ArrayList<>();
    try (ResultSet rows = of(sql, parameters).executeQuery()) {
      boolean full = false;
      while (!full && rows.next()) {
        T next = row.read(rows);
        found.add(next);
        full = enough.test(next);
      }
    }
    return found;
  }

  public <T> Optional<T> first(Row<T> row, String sql, Object... parameters) throws SQLException {
    try (ResultSet rows = of(sql, parameters).executeQuery()) {
      return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
    }
  }

  /** Closes the connection. */
  @Override
  public void close() throws SQLException {
    connection.close();
  }

  /** Makes one row of a result into a value. */
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }
}
