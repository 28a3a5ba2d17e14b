package dev.holdfast.tests.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The database of a server as a fault of its disk or of its program might change it. */
public final class StoreFile {
  private final String url;

  public StoreFile(Setup setup) {
    url = "jdbc:sqlite:" + setup.dataDir().resolve("holdfast.db");
  }

  /** All of them at once; a server may run meanwhile. */
  public void change(String... statements) {
    try (Connection database = DriverManager.getConnection(url)) {
      try (Statement sql = database.createStatement()) {
        sql.execute("pragma busy_timeout = 10000");
        sql.execute("begin immediate");
        for (String statement : statements) {
          sql.execute(statement);
        }
        sql.execute("commit");
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the database could not be changed", e);
    }
  }
}
