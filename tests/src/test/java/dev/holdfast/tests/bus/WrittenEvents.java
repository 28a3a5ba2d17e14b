package dev.holdfast.tests.bus;

import dev.holdfast.tests.bus.StreamReader.Published;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.StoreFile;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Each event that Holdfast has ever queued, in its order: the database itself notes it beside the
 * queue, in the same transaction, so a crash undoes both or neither.
 */
final class WrittenEvents {
  private static final int SHOWN_MAX = 5;

  private final Setup setup;

  /** Begins to note, beside a running server. What is still queued from before is noted too. */
  WrittenEvents(Setup setup) {
    this.setup = setup;
    new StoreFile(setup)
        .change(
            "create table noted (seq integer primary key, id text not null, subject text not null)",
            "create trigger note after insert on bus_events begin"
                + " insert into noted values (new.seq, new.id, new.subject); end",
            "insert into noted select seq, id, subject from bus_events");
  }

  /**
   * Waits until nothing is queued or given up, and returns all ids by subject, in the order in
   * which they were queued. Later ones may come: read the streams only then.
   */
  Map<String, List<String>> settled(Duration limit) {
    return Await.value(
        "nothing waits for NATS",
        limit,
        () -> Optional.of(bySubject()).filter(written -> !written.isEmpty()));
  }

  /** Nothing, while anything is queued. */
  private Map<String, List<String>> bySubject() throws SQLException {
    Map<String, List<String>> written = new LinkedHashMap<>();
    try (Connection database =
            DriverManager.getConnection(
                "jdbc:sqlite:file:" + setup.dataDir().resolve("holdfast.db") + "?mode=ro");
        Statement sql = database.createStatement();
        ResultSet rows =
            sql.executeQuery(
                "select subject, id from noted where not exists (select 1 from bus_events)"
                    + " order by seq")) {
      while (rows.next()) {
        written.computeIfAbsent(rows.getString(1), _ -> new ArrayList<>()).add(rows.getString(2));
      }
    }
    return written;
  }

  /**
   * A line for each promise that the bus has broken: what was queued is published, in the order of
   * its subject, and in no stream twice.
   *
   * @param written as {@link #settled} returned it
   * @param streams what each stream held afterwards, one after the other, if there were several
   */
  static List<String> violations(Map<String, List<String>> written, List<List<Published>> streams) {
    List<String> violations = new ArrayList<>();
    Map<String, List<String>> published = new LinkedHashMap<>();
    Set<String> known = new HashSet<>();
    for (List<Published> stream : streams) {
      Set<String> ids = new HashSet<>();
      for (Published one : stream) {
        if (!ids.add(one.id())) {
          violations.add(one.id() + " is twice in the stream, again as " + one.seq());
        }
        if (known.add(one.id())) {
          published.computeIfAbsent(one.subject(), _ -> new ArrayList<>()).add(one.id());
        }
      }
    }
    written.forEach(
        (subject, ids) -> {
          List<String> all = published.getOrDefault(subject, List.of());
          List<String> found = all.subList(0, Math.min(ids.size(), all.size()));
          if (!found.equals(ids)) {
            violations.add(difference(subject, ids, found));
          }
        });
    return violations;
  }

  private static String difference(String subject, List<String> written, List<String> found) {
    List<String> missing = new ArrayList<>(written);
    missing.removeAll(new HashSet<>(found));
    List<String> unknown = new ArrayList<>(found);
    unknown.removeAll(new HashSet<>(written));
    return "%s: %d written, %d published; %d missing %s, %d unknown %s%s"
        .formatted(
            subject,
            written.size(),
            found.size(),
            missing.size(),
            missing.subList(0, Math.min(SHOWN_MAX, missing.size())),
            unknown.size(),
            unknown.subList(0, Math.min(SHOWN_MAX, unknown.size())),
            missing.isEmpty() && unknown.isEmpty() ? ", in another order" : "");
  }
}
