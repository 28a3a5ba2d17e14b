package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data of an older Holdfast is taken over whole. */
class UpgradeTest {
  @TempDir Path folder;

  /** As version 2 of the tables had it: one event that waits, one that is answered. */
  @BeforeEach
  void anOlderDatabase() throws Exception {
    try (TestStore newer = new TestStore(folder)) {
      newer.append("t", "open");
      Event done = newer.append("t", "done");
      newer.store.inbox().finish(TestStore.finish(done, EventState.SILENT));
      newer.closeCleanly();
    }
    Path other = Files.createDirectories(folder.resolve("older"));
    Flyway.configure()
        .dataSource("jdbc:sqlite:" + other.resolve("holdfast.db"), "", "")
        .locations("classpath:db/migration")
        .target("2")
        .load()
        .migrate();
    try (Connection sql =
            DriverManager.getConnection("jdbc:sqlite:" + other.resolve("holdfast.db"));
        Statement statement = sql.createStatement()) {
      statement.execute("attach '" + folder.resolve("holdfast.db") + "' as newer");
      for (String table : List.of("sources", "threads", "payloads", "counters")) {
        statement.execute("insert into main." + table + " select * from newer." + table);
      }
      statement.execute(
          "insert into main.meta select * from newer.meta"
              + " where name <> 'audit' and name not like 'tables.%'");
      statement.execute(
          "insert into main.events (seq, id, source, thread, dedupe_key, dedupe_hash, received_at,"
              + " crc, state, outcome) select seq, id, source, thread, dedupe_key, randomblob(16),"
              + " received_at, crc, state, outcome from newer.events");
    }
    Files.move(
        other.resolve("holdfast.db"),
        folder.resolve("holdfast.db"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void whatWaitedStillWaitsAndWhatWasDoneStaysDone() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      assertThat(it.store.inbox().open(0, 10)).extracting(Event::dedupeKey).containsExactly("open");
      assertThat(it.store.inbox().openOf("webhook:ci:t", 0, 10))
          .extracting(Event::dedupeKey)
          .containsExactly("open");
      assertThat(it.store.inbox().ofThread("webhook:ci:t", 10))
          .extracting(Event::dedupeKey)
          .containsExactly("done", "open");
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void aRedeliveryOfWhatCameBeforeTheUpgradeIsKnown() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      for (String key : new String[] {"open", "done"}) {
        assertThat(it.store.inbox().append(TestStore.event("t", key)).join().duplicate()).isTrue();
        assertThat(it.store.inbox().findByDedupeKey(key)).hasSize(1);
      }
    }
  }

  @Test
  void whatWaitedCanBeFinished() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event open = it.store.inbox().open(0, 10).getFirst();
      it.store.inbox().start(open.seq(), 3);
      it.store.inbox().finish(TestStore.finish(open, EventState.SILENT));
      assertThat(it.store.inbox().open(0, 10)).isEmpty();
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void whatHadFiredAndComeBackBeforeIsKnown() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("version6.db");
    Flyway.configure()
        .dataSource(url, "", "")
        .locations("classpath:db/migration")
        .target("6")
        .load()
        .migrate();
    try (Connection sql = DriverManager.getConnection(url);
        Statement statement = sql.createStatement()) {
      statement.executeUpdate(
          "insert into events (seq, id, source, thread, dedupe_key, received_at, crc)"
              + " values (1, 'e1', 1, 1, 'k1', 0, 0), (2, 'e2', 1, 1, 'k2', 0, 0)");
      statement.executeUpdate(
          "insert into dead_letters (id, kind, ref, event_id, dedupe_key, thread_id, reason,"
              + " payload, attempts, at, replayed) values"
              + " ('a', 'event', 1, 'e1', '', '', '', '', 0, 0, 1),"
              + " ('b', 'event', 1, 'e1', '', '', '', '', 0, 0, 1),"
              + " ('c', 'event', 1, 'e1', '', '', '', '', 0, 0, 0),"
              + " ('d', 'reply', 1, 'e2', '', '', '', '', 0, 0, 1)");
      statement.executeUpdate(
          "insert into schedules (id, call_key, thread_id, person, kind, spec, zone, text, missed,"
              + " made_at, crc, state, next_at) values"
              + " ('s', 's', '', '', '', '', '', '', '', 0, 0, '', 0),"
              + " ('t', 't', '', '', '', '', '', '', '', 0, 0, '', 0)");
      statement.executeUpdate(
          "insert into firings (no, schedule_id, due, at, event_id) values"
              + " (1, 's', 9, 9, 'old'), (2, 's', 5, 5, 'new'), (3, 's', 6, 6, '')");
    }
    Flyway.configure().dataSource(url, "", "").locations("classpath:db/migration").load().migrate();
    assertThat(column(url, "select replays from events order by seq")).containsExactly("2", "0");
    assertThat(column(url, "select event_id from schedules order by id"))
        .containsExactly("new", "");
  }

  private static List<String> column(String url, String select) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection sql = DriverManager.getConnection(url);
        Statement statement = sql.createStatement();
        ResultSet rows = statement.executeQuery(select)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
