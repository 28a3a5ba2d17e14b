package dev.holdfast.store.ledgers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ThreadReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The chain finds whatever was done to its rows behind the server's back. */
class AuditTest {
  private static final int ROWS = 9;

  @TempDir Path folder;
  @AutoClose private TestStore it;

  @BeforeEach
  void writeRows() throws Exception {
    it = new TestStore(folder.resolve("data"));
    for (int i = 1; i <= ROWS; i++) {
      it.store.audit().append(entry(i));
    }
    assertThat(it.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(ROWS));
  }

  private static AuditEntry entry(int i) {
    return new AuditEntry(
        "tool.change",
        "e" + i + ".1.1",
        "e" + i,
        "web:main:t",
        "tool:write_file",
        "{\"n\":" + i + "}");
  }

  private void attack(String... statements) {
    TestStore.sql(it.folder, "drop trigger if exists audit_unchanged");
    TestStore.sql(it.folder, "drop trigger if exists audit_kept");
    for (String sql : statements) {
      TestStore.sql(it.folder, sql);
    }
  }

  /** Both the running server and the look at its files from outside say so. */
  private void brokenAt(long no, String... words) throws Exception {
    assertThat(List.of(it.store.audit().verify(), Audit.verify(it.folder).orElseThrow()))
        .allSatisfy(
            verdict ->
                assertThat(verdict)
                    .isInstanceOfSatisfying(
                        AuditVerdict.Broken.class,
                        broken -> {
                          assertThat(broken.no()).isEqualTo(no);
                          assertThat(broken.why()).contains(words);
                        }));
  }

  @Test
  void whatWasAppendedIsListedNewestFirstAndFoundByItsExecution() throws Exception {
    Audit audit = it.store.audit();
    assertThat(audit.list(ThreadReader.OPERATOR, 0, 3))
        .extracting(AuditRow::no)
        .containsExactly(9L, 8L, 7L);
    assertThat(audit.list(ThreadReader.OPERATOR, 3, 10))
        .extracting(AuditRow::no)
        .containsExactly(2L, 1L);
    assertThat(audit.list(ThreadReader.OPERATOR, 1, 10)).isEmpty();
    audit.append(new AuditEntry("tool.rolled_back", "e2.1.1", "", "", "token:admin", "{}"));
    assertThat(audit.ofExecution("e2.1.1"))
        .extracting(row -> row.entry().what())
        .containsExactly("tool.change", "tool.rolled_back");
    assertThat(audit.list(ThreadReader.OPERATOR, 3, 1).getFirst().entry()).isEqualTo(entry(2));
    assertThat(audit.ofExecution("")).isEmpty();
  }

  @Test
  void rowsAreThereAfterARestartAndTheChainGoesOn() throws Exception {
    it.close();
    it = new TestStore(it.folder);
    it.store.audit().append(entry(10));
    assertThat(it.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(ROWS + 1));
  }

  @Test
  void rowsCannotBeChangedOrDeletedByMistake() {
    assertThatThrownBy(() -> TestStore.sql(it.folder, "update audit set actor = 'x' where no = 2"))
        .hasMessageContaining("never changed");
    assertThatThrownBy(() -> TestStore.sql(it.folder, "delete from audit where no = 2"))
        .hasMessageContaining("never deleted");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "at = at + 1",
        "what = 'tool.changf'",
        "execution = 'other'",
        "event_id = ''",
        "thread_id = 'web:main:u'",
        "actor = actor || ' '",
        "details = '{\"n\": 5}'",
        "hash = replace(hash, substr(hash, 1, 1), 'x')",
        // The same letters in other columns.
        "what = what || execution, execution = ''",
        "event_id = execution, execution = event_id"
      })
  void aChangedColumnOfAnyRowIsFound(String change) throws Exception {
    for (int no : new int[] {1, 5, ROWS}) {
      attack("create table if not exists kept as select * from audit");
      attack("update audit set " + change + " where no = " + no);
      brokenAt(no, "hash");
      attack("delete from audit", "insert into audit select * from kept");
      assertThat(it.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(ROWS));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, ROWS})
  void aDeletedRowIsFound(int no) throws Exception {
    attack("delete from audit where no = " + no);
    brokenAt(no, "missing");
  }

  @Test
  void aDeletedRowIsFoundWhenTheOthersAreNumberedAnew() throws Exception {
    attack(
        "delete from audit where no = 5",
        "update audit set no = -no where no > 5",
        "update audit set no = -no - 1 where no < 0");
    brokenAt(5, "hash");
  }

  @Test
  void swappedRowsAreFound() throws Exception {
    attack(
        "update audit set no = 100 where no = 3",
        "update audit set no = 3 where no = 4",
        "update audit set no = 4 where no = 100");
    brokenAt(3, "hash");
  }

  @Test
  void aCutTailIsFoundAlsoAfterMoreWasWritten() throws Exception {
    attack("delete from audit where no > 6");
    brokenAt(7, "missing", "row 9");
    it.store.audit().append(entry(10));
    brokenAt(7, "missing");
  }

  @Test
  void anEmptiedAuditIsFound() throws Exception {
    attack("delete from audit");
    brokenAt(1, "missing", "row 9");
    it.store.audit().append(entry(10));
    brokenAt(1, "missing");
  }

  @Test
  void aHeadThatIsTakenAwayIsFoundAlsoAfterMoreWasWritten() throws Exception {
    attack("delete from audit where no > 6", "delete from meta where name = 'audit'");
    brokenAt(1, "head");
    it.store.audit().append(entry(10));
    brokenAt(7, "hash");
  }

  @Test
  void aHeadThatIsSetBackIsFoundAlsoAfterMoreWasWritten() throws Exception {
    String hash = it.store.audit().list(ThreadReader.OPERATOR, 6, 1).getFirst().hash();
    attack("update meta set value = '5 " + hash + "' where name = 'audit'");
    brokenAt(6, "does not know it");
    it.store.audit().append(entry(10));
    brokenAt(10, "hash");
  }

  @Test
  void aRowPutInByHandIsFound() throws Exception {
    attack(
        "insert into audit select 10, at, what, execution, event_id, thread_id, actor, details,"
            + " hash from audit where no = 9");
    brokenAt(10, "does not know it");
    attack(
        "delete from audit where no = 10",
        "insert into audit select 0, at, what, execution,"
            + " event_id, thread_id, actor, details, hash from audit where no = 9");
    brokenAt(0, "does not know it");
  }

  @Test
  void theFileIsVerifiedWithoutAServerAndNothingIsLeftBehind() throws Exception {
    it.closeCleanly();
    List<Path> before = files();
    assertThat(Audit.verify(it.folder)).contains(new AuditVerdict.Whole(ROWS));
    assertThat(files()).isEqualTo(before);
    attack("delete from audit where no = 4");
    assertThat(Audit.verify(it.folder)).containsInstanceOf(AuditVerdict.Broken.class);
    assertThat(Audit.verify(folder)).as("a folder without a database").isEmpty();
    it = new TestStore(folder.resolve("another"));
  }

  private List<Path> files() throws Exception {
    try (var all = Files.list(it.folder)) {
      return all.sorted().toList();
    }
  }

  @Test
  void everyTextComesBackAsItWasAndVerifies() throws Exception {
    for (String text :
        List.of("", "\0", "a\0b", "ä€😀", "' or 1=1 --", "\r\n\t", "x".repeat(10_000))) {
      AuditEntry entry = new AuditEntry(text, text, text, text, text, text);
      it.store.audit().append(entry);
      assertThat(it.store.audit().list(ThreadReader.OPERATOR, 0, 1).getFirst().entry())
          .isEqualTo(entry);
    }
    assertThat(it.store.audit().verify()).isInstanceOf(AuditVerdict.Whole.class);
  }

  @Test
  void detailsThatAreTooLongAreReplacedByTheirHash() throws Exception {
    it.store.audit().append(new AuditEntry("x", "", "", "", "", "x".repeat(16_385)));
    assertThat(it.store.audit().list(ThreadReader.OPERATOR, 0, 1).getFirst().entry().detailsJson())
        .startsWith("{\"omitted_bytes\":16385,\"sha256\":\"");
  }

  @Test
  void manyWritersMakeOneWholeChain() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      int n = i;
      threads.add(
          Thread.startVirtualThread(
              () -> {
                for (int j = 0; j < 50; j++) {
                  try {
                    it.store.audit().append(entry(n * 1000 + j));
                  } catch (StoreException e) {
                    throw new IllegalStateException(e);
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(it.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(ROWS + 16 * 50));
  }
}
