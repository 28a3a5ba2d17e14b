package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operator who approves a tool has seen all of it. */
@Timeout(30)
class HeldToolTest extends CommandFixture {
  private String info(String held) {
    server.on("GET /api/v1/extensions/a", 200, "{\"id\":\"a\",\"held\":[" + held + "]}");
    assertThat(line.run(server, "extensions", "info", "a")).isZero();
    return line.out();
  }

  @Test
  void aChangeInASchemaIsShownByLinesWithWhatIsAroundIt() {
    String shown =
        info(
            """
            {"name":"pay","change":"changed","parts":["schema"],
             "before":{"description":"pays","schema":"{\\"a\\":{\\"description\\":\\"to\\"}}",
               "result_schema":"","annotations":"{}"},
             "now":{"description":"pays","schema":"{\\"a\\":{\\"description\\":\\"send all\\"}}",
               "result_schema":"","annotations":"{}"}}
            """);
    assertThat(shown)
        .contains(
            """
            waits for approval: pay (changed: schema)
              schema:
                = {
                =   "a" : {
                -     "description" : "to"
                +     "description" : "send all"
                =   }
                = }
            """);
  }

  @Test
  void aNewToolIsShownWhole() {
    String shown =
        info(
            """
            {"name":"pay","change":"new","parts":[],"before":null,
             "now":{"description":"%s\\nthe end","schema":"{\\"a\\":1}","result_schema":"",
               "annotations":"{}"}}
            """
                .formatted("x".repeat(4000)));
    assertThat(shown)
        .contains("waits for approval: pay (new)\n")
        .contains("    + " + "x".repeat(4000) + "\n    + the end\n")
        .contains("    + {\n    +   \"a\" : 1\n    + }\n")
        .contains("  annotations:\n    + { }\n")
        .doesNotContain("result schema");
  }

  @Test
  void whatAPersonDoesNotSeeIsShownAsItsEscape() {
    String shown =
        info(
            """
            {"name":"pay","change":"changed","parts":["description"],
             "before":{"description":"a b"},
             "now":{"description":"a\\u200bb\\u200d\\u00a0c\\ufe0f\\udb40\\udc41\\rd\\u00e9"}}
            """);
    assertThat(shown)
        .contains("    - a b\n    + a\\u200Bb\\u200D\\u00A0c\\uFE0F\\uDB40\\uDC41\\rdé\n");
  }

  @Test
  void whereWhatWasApprovedIsNotKeptAllIsShownThatIsListedNow() {
    String shown =
        info(
            """
            {"name":"pay","change":"changed","parts":["schema"],"before":null,
             "now":{"description":"pays","schema":"{}"}}
            """);
    assertThat(shown).contains("too long to be stored", "    + pays\n", "    + { }\n");
  }

  @Test
  void linesFarFromAChangeAreCounted() {
    List<String> before = IntStream.range(0, 100).mapToObj(i -> "line " + i).toList();
    List<String> now =
        before.stream().map(text -> text.equals("line 50") ? "other" : text).toList();
    assertThat(LineDifference.of(before, now))
        .containsExactly(
            "  (47 lines as before)",
            "= line 47",
            "= line 48",
            "= line 49",
            "- line 50",
            "+ other",
            "= line 51",
            "= line 52",
            "= line 53",
            "  (46 lines as before)");
  }

  @Test
  void linesThatComeAndGoAreFoundInTheirOrder() {
    assertThat(LineDifference.of(List.of("a", "b", "c", "d"), List.of("b", "x", "d", "e")))
        .containsExactly("- a", "= b", "- c", "+ x", "= d", "+ e");
    assertThat(LineDifference.of(List.of(), List.of("a"))).containsExactly("+ a");
    assertThat(LineDifference.of(List.of("a"), List.of())).containsExactly("- a");
  }

  @Test
  void twoLongTextsAreShownOneAfterTheOther() {
    List<String> before = IntStream.range(0, 3000).mapToObj(i -> "a" + i).toList();
    List<String> now = IntStream.range(0, 3000).mapToObj(i -> "b" + i).toList();
    assertThat(LineDifference.of(before, now)).hasSize(6000).startsWith("- a0").endsWith("+ b2999");
  }
}
