package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What waits in a data folder whose server runs or does not run. Changes nothing there. */
public final class OpenMessages {
  private OpenMessages() {}

  /**
   * How many, by their state and why they are in it. Empty when nothing waits.
   *
   * @throws IOException when the database cannot be read
   */
  public static Map<String, Long> count(Path folder) throws IOException {
    Map<String, Long> counts = new LinkedHashMap<>();
    Path file = folder.resolve(Connections.FILE);
    if (!Files.exists(file) || Files.size(file) == 0) {
      return counts;
    }
    boolean logged = Files.exists(folder.resolve(Connections.FILE + "-wal"));
    try (Statements sql = Connections.readOnly(file, logged)) {
      sql.list(
              row -> Map.entry(name(row), row.getLong(3)),
              "select state, reason, count(*) from events where closed = 0"
                  + " group by state, reason order by count(*) desc limit 5")
          .forEach(entry -> counts.merge(entry.getKey(), entry.getValue(), Long::sum));
      return counts;
    } catch (SQLException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static String name(ResultSet row) throws SQLException {
    String state =
        EventState.of(row.getInt(1))
            .map(EventState::label)
            .orElse("damaged")
            .toLowerCase(Locale.ROOT);
    String reason = String.valueOf(row.getString(2));
    return reason.isEmpty() || !state.equals(EventState.PARKED.label())
        ? state
        : state + " (" + reason + ")";
  }
}
