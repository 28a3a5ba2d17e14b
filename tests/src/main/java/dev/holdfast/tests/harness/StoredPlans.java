package dev.holdfast.tests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The plans as they stood on disk at one moment, read from a copy of the database: what a server
 * that was killed had stored, before the next one touches it.
 */
public final class StoredPlans implements AutoCloseable {
  private final Path folder;
  private final Connection connection;

  private StoredPlans(Path folder, Connection connection) {
    this.folder = folder;
    this.connection = connection;
  }

  /** The server is not running. */
  public static StoredPlans of(ServerRig rig) throws IOException, SQLException {
    Path folder = ServerRig.newFolder("holdfast-stored");
    for (String name : List.of("holdfast.db", "holdfast.db-wal")) {
      Path file = rig.setup().dataDir().resolve(name);
      if (Files.exists(file)) {
        Files.copy(file, folder.resolve(name));
      }
    }
    return new StoredPlans(
        folder, DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db")));
  }

  /** The state of a thread's only plan, in capitals; empty when there is no plan. */
  public String planState(String thread) throws SQLException {
    return first("select state from tasks_plans where thread_id = ?", "webhook:ci:" + thread);
  }

  /** The state of a step of it; empty when there is none. */
  public String stepState(String thread, String step) throws SQLException {
    return first(
        "select t.state from tasks_tasks t join tasks_plans p on p.id = t.plan"
            + " where p.thread_id = ? and t.name = ?",
        "webhook:ci:" + thread,
        step);
  }

  /** How many answers of a model one of its steps has kept. */
  public int wordsSaid(String thread, String step) throws SQLException {
    return rows(
            "select entry from tasks_talks join tasks_tasks t on t.id = task"
                + " join tasks_plans p on p.id = t.plan"
                + " where p.thread_id = ? and t.name = ? and entry like '{\"said\"%'",
            "webhook:ci:" + thread, step)
        .size();
  }

  private String first(String query, String... values) throws SQLException {
    List<String> rows = rows(query, values);
    return rows.isEmpty() ? "" : rows.getFirst();
  }

  /** The first column of each row. */
  public List<String> rows(String query, String... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < values.length; i++) {
        statement.setString(i + 1, values[i]);
      }
      List<String> rows = new ArrayList<>();
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          rows.add(found.getString(1));
        }
      }
      return rows;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    ServerRig.delete(folder);
  }
}
