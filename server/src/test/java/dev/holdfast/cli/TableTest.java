package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final List<String> HEADING = List.of("ID", "THREAD", "TEXT");
  private static final List<List<String>> ROWS =
      List.of(
          List.of("7", "web:main:cli", "a text that goes on and on"), List.of("1234", "", "short"));

  private static String printed(boolean terminal, int columns) {
    StringWriter out = new StringWriter();
    new Terminal(new PrintWriter(out), new PrintWriter(out), terminal, "1", () -> columns)
        .table(HEADING, ROWS);
    return out.toString();
  }

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    assertThat(Table.lines(HEADING, ROWS, 0))
        .containsExactly(
            "ID    THREAD        TEXT",
            "7     web:main:cli  a text that goes on and on",
            "1234                short");
  }

  @Test
  void theWidestColumnIsCutToTheTerminal() {
    assertThat(Table.lines(HEADING, ROWS, 34))
        .containsExactly(
            "ID    THREAD        TEXT",
            "7     web:main:cli  a text that g\u2026",
            "1234                short")
        .allMatch(line -> line.length() <= 34);
  }

  @Test
  void aVeryNarrowTerminalStillShowsTheBeginningOfEachTextAndWholeIds() {
    assertThat(Table.lines(HEADING, ROWS, 5)).contains("7     web:main:cli  a text \u2026");
  }

  @Test
  void onlyATerminalCutsAndOnlyWhenItKnowsItsWidth() {
    assertThat(printed(false, 30)).contains("on and on");
    assertThat(printed(true, 0)).contains("on and on");
    assertThat(printed(true, 30)).doesNotContain("on and on");
  }

  @Test
  void controlCharactersAndLineEndsAreShownEscaped() {
    String hostile = "a\u001b[2Jb\r\nc\td\u202ee";
    assertThat(Table.lines(List.of("X"), List.of(List.of(hostile)), 0).getLast())
        .isEqualTo("a\\u001B[2Jb\\r\\nc\\td\\u202Ee");
  }

  @Test
  void charactersOutsideTheBasicPlaneCountOnceAndAreNotHalved() {
    String smiles = "\ud83d\ude00".repeat(100);
    assertThat(Table.lines(List.of("X"), List.of(List.of(smiles)), 10).getLast())
        .isEqualTo("\ud83d\ude00".repeat(9) + "\u2026");
  }
}
