package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.store.engine.Statements;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReadTest {
  @TempDir Path folder;

  private static int events(Statements sql) throws SQLException {
    return sql.first(row -> row.getInt(1), "select count(*) from events").orElseThrow();
  }

  @Test
  void allThatIsReadIsOfOneMoment() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      it.store.inbox().append(TestStore.event("t", "k1")).join();
      List<Integer> seen =
          it.store
              .engine()
              .read(
                  sql -> {
                    int before = events(sql);
                    it.store.inbox().append(TestStore.event("t", "k2")).join();
                    return List.of(before, events(sql));
                  });
      assertThat(seen).containsExactly(1, 1);
      assertThat(it.store.engine().<Integer>read(ReadTest::events)).isEqualTo(2);
    }
  }

  /** There are three readers: each has failed before the last look. */
  @Test
  void aReaderThatFailedReadsAgain() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      it.store.inbox().append(TestStore.event("t", "k1")).join();
      for (int i = 0; i < 6; i++) {
        assertThatThrownBy(
                () ->
                    it.store
                        .engine()
                        .read(
                            sql -> {
                              int _ = events(sql);
                              throw new IllegalArgumentException("a bug");
                            }))
            .hasRootCauseMessage("a bug");
      }
      it.store.inbox().append(TestStore.event("t", "k2")).join();
      for (int i = 0; i < 6; i++) {
        assertThat(it.store.engine().<Integer>read(ReadTest::events)).isEqualTo(2);
      }
    }
  }
}
