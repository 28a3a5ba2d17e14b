package dev.holdfast.agents.dispatch;

import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Sets a stopped store to what a crash would have left. */
@SuppressWarnings("EnumOrdinal") // the store keeps states as ordinals
final class StoreSurgery {
  private StoreSurgery() {}

  /** As if the server had died after the answer was on disk and before the event was ended. */
  static void reopen(Path folder, Event event) throws SQLException {
    run(folder, "delete from replies where event_id = ?", event.id());
    run(
        folder,
        "update events set closed = 0, state = " + EventState.RUNNING.ordinal() + " where id = ?",
        event.id());
  }

  static void countRuns(Path folder, Event event, int runs) throws SQLException {
    run(folder, "update events set attempts = " + runs + " where id = ?", event.id());
  }

  static void run(Path folder, String sql, String id) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, id);
      statement.executeUpdate();
    }
  }
}
