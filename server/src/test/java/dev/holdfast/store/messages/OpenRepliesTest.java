package dev.holdfast.store.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The indexes of open replies serve a query only when it says what is open in their own words. */
class OpenRepliesTest {
  @TempDir Path folder;

  @Test
  void theNumbersOfTheOpenStatesAreThoseOfTheIndexes() {
    assertThat(ReplyState.OPEN).isEqualTo("state in (0, 1, 4, 5)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"r.seq > 7", "r.thread = 7"})
  void theyAreFoundWithoutALookAtAllReplies(String where) throws Exception {
    try (TestStore it = new TestStore(folder)) {
      List<String> steps =
          it.store
              .engine()
              .read(
                  sql ->
                      sql.list(
                          row -> row.getString("detail"),
                          "explain query plan "
                              + ReplyRows.SELECT
                              + "r."
                              + ReplyState.OPEN
                              + " and "
                              + where
                              + " order by r.seq"));
      assertThat(steps).anyMatch(step -> step.contains("USING INDEX replies_open"));
    }
  }
}
