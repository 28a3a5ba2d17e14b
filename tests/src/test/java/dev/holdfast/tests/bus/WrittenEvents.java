package dev.holdfast.tests.bus;

import dev.holdfast.tests.bus.StreamReader.Published;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.StoreFile;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** Ids by subject, in the order in which they were queued. */
  Map<String, List<String>> bySubject() throws SQLException {
    Map<String, List<String>> written = new LinkedHashMap<>();
    try (Connection database =
            DriverManager.getConnection(
                "jdbc:sqlite:file:" + setup.dataDir().resolve("holdfast.db") + "?mode=ro");
        Statement sql = database.createStatement();
        ResultSet rows = sql.executeQuery("select subject, id from noted order by seq")) {
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
   * @param streams what each stream held, one after the other, if there were several
   */
  List<String> violations(List<List<Published>> streams) throws SQLException {
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
    Map<String, List<String>> written = bySubject();
    written.forEach(
        (subject, ids) -> {
          List<String> found = published.getOrDefault(subject, List.of());
          if (!found.equals(ids)) {
            violations.add(difference(subject, ids, found));
          }
        });
    published.keySet().stream()
        .filter(subject -> !written.containsKey(subject))
        .forEach(subject -> violations.add(subject + " was never written"));
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
