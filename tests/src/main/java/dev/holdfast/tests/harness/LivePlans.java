package dev.holdfast.tests.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The tables of plans and tasks of a running server, read beside it. */
public final class LivePlans implements AutoCloseable {
  private final Connection connection;

  private LivePlans(Connection connection) {
    this.connection = connection;
  }

  public static LivePlans of(ServerRig rig) throws SQLException {
    return new LivePlans(
        DriverManager.getConnection(
            "jdbc:sqlite:file:" + rig.setup().dataDir().resolve("holdfast.db") + "?mode=ro"));
  }

  /** Tasks that stand as running although their lease is over, or was given before {@code boot}. */
  public List<String> ghosts(Instant boot, Instant now) throws SQLException {
    return rows(
        "select 'a ghost: ' || t.id || ' ' || t.state || ' until ' || t.lease_until || ', given '"
            + " || max(m.at) from tasks_tasks t left join tasks_moves m on m.plan = t.plan"
            + " and m.task = t.id and m.after = 'DISPATCHED'"
            + " where t.state in ('DISPATCHED', 'IN_PROGRESS') group by t.id"
            + " having t.lease_until < "
            + now.toEpochMilli()
            + " or coalesce(max(m.at), 0) < "
            + boot.toEpochMilli());
  }

  /** Ends that nobody was told of, and questions that are open although their task has ended. */
  public List<String> undelivered() throws SQLException {
    List<String> found =
        rows("select 'undelivered: the end of plan ' || id from tasks_plans where told = 0");
    found.addAll(
        rows(
            "select 'undelivered: question ' || i.id from tasks_inputs i join tasks_tasks t"
                + " on t.id = i.task where i.answered_at = 0 and t.ended_at > 0"));
    return found;
  }

  private List<String> rows(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      while (found.next()) {
        rows.add(found.getString(1));
      }
    }
    return rows;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
