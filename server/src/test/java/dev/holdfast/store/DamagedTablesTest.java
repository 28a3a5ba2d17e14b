package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies under the rows of events and replies: indexes, counts, columns, the schema itself. */
class DamagedTablesTest {
  private static final String THREAD = "webhook:ci:t1";
  private static final int PAGE_BYTES = 4096;
  private static final int LEAF_HEADER_BYTES = 8;
  private static final List<String> ALL =
      IntStream.range(0, 10).mapToObj(number -> "k" + number).toList();

  @TempDir Path folder;

  @Test
  void aChangedKeyOfAnIndexHidesNoMessageAfterACleanStop() throws Exception {
    tenWaitingEvents().closeCleanly();
    changeFirstKey("events_thread", 3);
    theIndexIsMended();
  }

  @Test
  void aChangedKeyOfAnIndexHidesNoMessageAfterACrash() throws Exception {
    tenWaitingEvents().close();
    changeFirstKey("events_thread", 3);
    theIndexIsMended();
  }

  private void theIndexIsMended() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      assertThat(openOf(it)).isEqualTo(ALL);
      assertThat(repairs(it, "index")).isPositive();
      assertThat(it.fatals).isEmpty();
    }
  }

  @Test
  void aFileThatChangedAfterACleanStopIsCheckedAndToldOf() throws Exception {
    tenWaitingEvents().closeCleanly();
    change("hello", "hallo");
    try (TestStore it = new TestStore(folder)) {
      assertThat(it.store.wasClean()).isFalse();
      assertThat(repairs(it, "file")).isEqualTo(1);
    }
  }

  @Test
  void aChangedLetterOfTheSchemaIsRefusedByItsName() throws Exception {
    for (boolean clean : new boolean[] {true, false}) {
      TestStore it = tenWaitingEvents();
      if (clean) {
        it.closeCleanly();
      } else {
        it.close();
      }
      change("detail text", "detaim text");
      refusedWith("holdfast.db", "replies");
      change("detaim text", "detail text");
    }
    change("where closed = 0", "where closed = 1");
    refusedWith("holdfast.db", "events_open");
  }

  @Test
  void aStatementThatNoLongerFitsTheTablesEndsTheProcess() throws Exception {
    try (TestStore it = tenWaitingEvents()) {
      TestStore.sql(folder, "alter table events rename column reason to season");
      Event first = it.store.inbox().open(0, 1).getFirst();
      assertThatThrownBy(() -> it.store.inbox().park(first.seq(), "away", true))
          .hasMessageContaining("reason");
      assertThat(it.fatals).hasSize(1).first().asString().startsWith("65 ");
    }
  }

  @Test
  void anOpenEventThatNoIndexFindsIsFoundByItsTable() throws Exception {
    try (TestStore it = tenWaitingEvents()) {
      List<Boolean> heard = new ArrayList<>();
      it.store.onMended(() -> heard.add(true));
      hide("events_thread", "on events (thread, closed, seq)", "seq = 4");
      hide("events_open", "on events (seq) where closed = 0", "seq = 6");
      assertThat(openOf(it)).hasSize(9);
      assertThat(it.store.reconcile()).isTrue();
      assertThat(openOf(it)).isEqualTo(ALL);
      assertThat(it.store.inbox().open(0, 100)).hasSize(10);
      assertThat(heard).hasSize(1);
      assertThat(repairs(it, "index")).isEqualTo(2);
      assertThat(it.store.reconcile()).isFalse();
    }
  }

  /** The table is read in pages, so that a reading never lasts long. */
  @Test
  void amongManyOpenEventsEachOneThatNoIndexFindsIsFound() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      for (int i = 0; i < 1_203; i++) {
        it.append("t1", "k" + i);
      }
      hide("events_open", "on events (seq) where closed = 0", "seq in (1, 500, 501, 1203)");
      assertThat(it.store.reconcile()).isTrue();
      assertThat(repairs(it, "index")).isEqualTo(4);
      assertThat(repairs(it, "count")).isZero();
      assertThat(it.store.reconcile()).isFalse();
    }
  }

  @Test
  void anOpenReplyThatNoIndexFindsIsFoundByItsTable() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      answered(it, "k1");
      String open = "where state in (0, 1, 4, 5)";
      hide("replies_open_thread", "on replies (thread, seq) " + open, "seq = 1");
      assertThat(it.store.outbox().openOf(THREAD, 10)).isEmpty();
      assertThat(it.store.reconcile()).isTrue();
      assertThat(it.store.outbox().openOf(THREAD, 10)).hasSize(1);
    }
  }

  @Test
  void aColumnThatContradictsTheOthersIsPutRight() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event open = it.append("t1", "open");
      Event over = it.append("t1", "over");
      it.store.inbox().finish(TestStore.finish(over, EventState.SILENT));
      for (String hurt :
          List.of(
              "update events set closed = 1 where seq = 1",
              "update events set state = 4 where seq = 1",
              "update events set state = 99 where seq = 1",
              "update events set outcome = 3 where seq = 1",
              "update events set damaged = 1 where seq = 1",
              "update events set closed = 0 where seq = 2",
              "update events set state = 0 where seq = 2",
              "update events set outcome = 0 where seq = 2")) {
        TestStore.sql(folder, hurt);
        it.store.reconcile();
        assertThat(it.store.inbox().open(0, 10)).as(hurt).containsExactly(open);
        assertThat(it.find(over).state()).as(hurt).isEqualTo(EventState.SILENT);
        assertThat(it.store.inbox().counts())
            .as(hurt)
            .containsEntry("pending", 1L)
            .containsEntry("silent", 1L);
        assertThat(it.store.reconcile()).as(hurt).isFalse();
      }
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void aReplyThatWasNeverTriedIsNotTakenForSent() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      answered(it, "k1");
      TestStore.sql(folder, "update replies set state = 2 where seq = 1");
      assertThat(it.store.reconcile()).isTrue();
      assertThat(it.store.outbox().openOf(THREAD, 10)).hasSize(1);
      TestStore.sql(folder, "update replies set damaged = 1 where seq = 1");
      assertThat(it.store.reconcile()).isTrue();
      assertThat(it.store.outbox().openOf(THREAD, 10)).hasSize(1);
      it.store.outbox().sending(1, false);
      it.store.outbox().sent(1, "p");
      assertThat(it.store.reconcile()).isFalse();
    }
  }

  @Test
  void aWrongCountIsCountedAgainAndNewMessagesAreTaken() throws Exception {
    for (String name : List.of("ACCEPTED", "PENDING", "SILENT", "REPLIES", "OPEN_REPLIES")) {
      for (long n : new long[] {0, 1, 4_000_000}) {
        Path here = folder.resolve(name + n);
        TestStore first = new TestStore(here);
        first.append("t1", "k1");
        Event over = first.append("t1", "k2");
        first.store.inbox().finish(TestStore.finish(over, EventState.SILENT));
        answered(first, "k3");
        answered(first, "k4");
        first.close();
        TestStore.sql(here, "update counters set n = " + n + " where name = '" + name + "'");
        try (TestStore it = new TestStore(here)) {
          it.store.reconcile();
          assertThat(it.equationHolds()).as(name).isTrue();
          assertThat(it.store.outbox().depth()).as(name).isEqualTo(2);
          answered(it, "k5");
          assertThat(it.store.inbox().counts())
              .as(name)
              .containsEntry("pending", 1L)
              .containsEntry("accepted", 5L);
          assertThat(it.store.outbox().depth()).as(name).isEqualTo(3);
        }
      }
    }
  }

  @Test
  void whatIsOverIsNotReadAgainUnlessItComesBack() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event old = it.append("t1", "k1");
      it.store.inbox().finish(TestStore.finish(old, EventState.DEAD_LETTERED));
      it.append("t1", "k2");
      assertThat(it.store.reconcile()).isFalse();
      String letter =
          it.store.deadLetters().list(ThreadReader.OPERATOR, "", Instant.MAX, 1).getFirst().id();
      assertThat(it.store.deadLetters().replay(letter)).isTrue();
      hide("events_thread", "on events (thread, closed, seq)", "seq = 1");
      assertThat(it.store.reconcile()).isTrue();
      assertThat(openOf(it)).containsExactly("k1", "k2");
    }
  }

  private static void answered(TestStore it, String key) throws Exception {
    Event event = it.append("t1", key);
    it.store
        .inbox()
        .finish(TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "a.1", false)));
  }

  private static double repairs(TestStore it, String what) {
    return it.registry.get("holdfast.store.repairs").tag("what", what).counter().count();
  }

  private static List<String> openOf(TestStore it) {
    return it.store.inbox().openOf(THREAD, 0, 100).stream().map(Event::dedupeKey).toList();
  }

  private TestStore tenWaitingEvents() throws Exception {
    TestStore it = new TestStore(folder);
    ALL.forEach(key -> it.append("t1", key));
    return it;
  }

  private void refusedWith(String... words) {
    assertThatThrownBy(() -> new TestStore(folder).close())
        .isInstanceOfSatisfying(
            StartRefusedException.class, e -> assertThat(e.exitCode()).isEqualTo(65))
        .hasMessageContainingAll(words);
  }

  /** Changes a text behind SQLite's back. */
  private void change(String from, String to) throws IOException {
    Path file = folder.resolve("holdfast.db");
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    assertThat(text).contains(from);
    Files.writeString(file, text.replace(from, to), StandardCharsets.ISO_8859_1);
  }

  /**
   * Changes the type of the first column in one entry of an index that fits on one page, which is
   * the byte behind the entry's length and its header's length.
   */
  private void changeFirstKey(String index, int entry) throws Exception {
    Path file = folder.resolve("holdfast.db");
    int page = (int) number("select rootpage from sqlite_schema where name = '" + index + "'") - 1;
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    int start = page * PAGE_BYTES;
    int at = start + bytes.getShort(start + LEAF_HEADER_BYTES + 2 * entry) + 2;
    bytes.put(at, (byte) (bytes.get(at) ^ 1));
    Files.write(file, bytes.array());
  }

  private long number(String select) throws SQLException {
    try (Connection sql =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
        Statement statement = sql.createStatement();
        ResultSet row = statement.executeQuery(select)) {
      return row.getLong(1);
    }
  }

  /** Makes an index anew as if it were to lack some rows, and lets it pass for the usual one. */
  private void hide(String index, String on, String rows) {
    String lacking = on + (on.contains("where") ? " and not (" : " where not (") + rows + ")";
    TestStore.sql(
        folder,
        "begin immediate; pragma writable_schema = on;"
            + sqlOf(index, lacking)
            + "reindex "
            + index
            + ";"
            + sqlOf(index, on)
            + "commit;");
  }

  private static String sqlOf(String index, String on) {
    return "update sqlite_schema set sql = 'CREATE INDEX %s %s' where name = '%s';"
            .formatted(index, on, index)
        + "pragma writable_schema = reset; pragma writable_schema = on;";
  }
}
