package dev.holdfast.notes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.Appended;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A package outside of the store keeps a table there, with nothing but the store's engine. */
@Timeout(60)
class OwnTablesTest {
  private static final Counter WRITTEN = new Counter("notes.written");

  private static final String FIRST =
      """
      create table notes_lines (no integer primary key, text text not null);
      create trigger notes_kept before delete on notes_lines
      begin
        select raise(abort, 'notes are kept');
      end;
      """;

  private static final String SECOND =
      "alter table notes_lines add column author text not null default 'nobody';";

  @TempDir Path folder;

  private static Tables tables(String... scripts) {
    return new Tables("notes", List.of(scripts));
  }

  private static int write(Transaction tx, String text) throws SQLException {
    tx.count(WRITTEN, 1);
    return tx.sql().update("insert into notes_lines (text) values (?)", text);
  }

  private static List<String> lines(Engine engine) {
    return engine.read(
        sql -> sql.list(row -> row.getString(1), "select text from notes_lines order by no"));
  }

  /** Holds the writer up, so that all that is offered meanwhile is there when it goes on. */
  private static CountDownLatch hold(Engine engine) throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    engine.later(
        _ -> {
          held.countDown();
          return wait(goOn);
        });
    held.await();
    return goOn;
  }

  private static boolean wait(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatWasWrittenAndCountedIsThereAfterARestartAlsoWithNewerTables() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Engine engine = it.store.engine();
      engine.bring(tables(FIRST));
      engine.bring(tables(FIRST));
      engine.call(tx -> write(tx, "one"));
      engine.later(tx -> write(tx, "two"));
      engine.offer(tx -> write(tx, "three")).join();
      assertThat(lines(engine)).containsExactly("one", "two", "three");
      assertThat(engine.counted(WRITTEN)).isEqualTo(3);
      it.closeCleanly();
    }
    try (TestStore it = new TestStore(folder)) {
      Engine engine = it.store.engine();
      assertThat(it.store.wasClean()).isTrue();
      engine.bring(tables(FIRST, SECOND));
      engine.call(tx -> write(tx, "four"));
      assertThat(lines(engine)).containsExactly("one", "two", "three", "four");
      assertThat(engine.counted(WRITTEN)).isEqualTo(4);
      List<String> authors =
          engine.read(
              sql -> sql.list(row -> row.getString(1), "select distinct author from notes_lines"));
      assertThat(authors).containsExactly("nobody");
    }
  }

  @Test
  void itsChangesShareACommitWithEvents() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Engine engine = it.store.engine();
      engine.bring(tables(FIRST));
      CountDownLatch goOn = hold(engine);
      CompletableFuture<Transaction> before =
          engine.offer(
              tx -> {
                write(tx, "before");
                return tx;
              });
      CompletableFuture<Appended> event = it.store.inbox().append(TestStore.event("t", "k"));
      CompletableFuture<Transaction> after =
          engine.offer(
              tx -> {
                write(tx, "after");
                return tx;
              });
      goOn.countDown();
      assertThat(before.join()).isSameAs(after.join());
      assertThat(event.join().duplicate()).isFalse();
      assertThat(lines(engine)).containsExactly("before", "after");
    }
  }

  @Test
  void aChangeThatFailsLeavesNothingAndTakesNoOtherWithIt() throws Exception {
    List<String> heard = new ArrayList<>();
    try (TestStore it = new TestStore(folder)) {
      Engine engine = it.store.engine();
      engine.bring(tables(FIRST));
      CountDownLatch goOn = hold(engine);
      CompletableFuture<Integer> bad =
          engine.offer(
              tx -> {
                tx.afterCommit(() -> heard.add("never"));
                tx.afterRollback(() -> heard.add("rolled back"));
                write(tx, "bad");
                return tx.sql().update("insert into notes_lines (text) values (null)");
              });
      CompletableFuture<Appended> event = it.store.inbox().append(TestStore.event("t", "k"));
      CompletableFuture<Integer> good =
          engine.offer(
              tx -> {
                tx.afterCommit(() -> heard.add("committed"));
                return write(tx, "good");
              });
      goOn.countDown();
      good.join();
      assertThat(event.join().duplicate()).isFalse();
      assertThatThrownBy(bad::join).hasCauseInstanceOf(StoreException.class);
      assertThat(heard).containsExactly("rolled back", "rolled back", "committed");
      assertThat(lines(engine)).containsExactly("good");
      assertThat(engine.counted(WRITTEN)).isEqualTo(1);
      assertThat(it.fatals).isEmpty();
    }
  }

  @Test
  void whatAWorkRefusesReachesItsCallerAlone() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Engine engine = it.store.engine();
      assertThatThrownBy(
              () ->
                  engine.call(
                      _ -> {
                        throw StoreException.overloaded("too many notes", 1);
                      }))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("too many notes");
      engine.bring(tables(FIRST));
      engine.call(tx -> write(tx, "next"));
      assertThat(lines(engine)).containsExactly("next");
    }
  }

  @Test
  void aScriptThatFailsChangesNothing() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Engine engine = it.store.engine();
      assertThatThrownBy(() -> engine.bring(tables(FIRST, "alter table missing rename to x;")))
          .isInstanceOf(StoreException.class);
      engine.bring(tables(FIRST, SECOND));
      assertThat(lines(engine)).isEmpty();
    }
  }

  @Test
  void tablesOfANewerProgramAreRefused() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      it.store.engine().bring(tables(FIRST, SECOND));
      assertThatThrownBy(() -> it.store.engine().bring(tables(FIRST)))
          .isInstanceOfSatisfying(
              StartRefusedException.class,
              e -> assertThat(e.exitCode()).isEqualTo(StartRefusedException.DAMAGED))
          .hasMessageContainingAll("notes", "version 2", "knows 1");
    }
  }
}
