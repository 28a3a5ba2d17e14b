package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
  @Test
  void whatIsWrittenIsReadAsItWas() {
    Map<String, Object> object =
        Map.of("text", "a \"b\" \\ \n \u0001 ü 😀", "list", List.of(1.5, true, Map.of("x", "y")));
    assertThat(JsonText.object(JsonText.write(object))).isEqualTo(object);
  }

  @Test
  void escapesAndNullsAreRead() {
    Map<String, Object> read =
        JsonText.object(" {\"a\" : \"\\u00fc\\t\\/\" , \"b\":null,\"c\":[ ]} ");
    assertThat(JsonText.text(read, "a")).isEqualTo("ü\t/");
    assertThat(read.get("b")).isSameAs(JsonText.NULL);
    assertThat(JsonText.map(read, "b")).isEmpty();
    assertThat(JsonText.number(read, "a", 7)).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{\"a\"",
        "{\"a\":}",
        "{\"a\":1}x",
        "{\"a\":1}\u0000",
        "{\"a\":\"\\u12",
        "{\"a\":\"\\",
        "{\"a\":\"\\\"}",
        "{a:1}",
        "{\"a\":yes}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{\"a\":[1}",
        "{\"a\" 1}",
        "{\"a\":1 2}",
        "{\"a\":1;\"b\":2}",
        "{'a':1}",
        "{\"a\":<html>}",
        "{/**/\"a\":1}"
      })
  void whatIsNoObjectIsRefused(String text) {
    assertThatThrownBy(() -> JsonText.object(text))
        .isExactlyInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"\\ud800 lone\" | \uFFFD lone",
        "\"\\udc00\\ud800\" | \uFFFD\uFFFD",
        "\"\\ud83d\\ude00 \\ud83d\" | \uD83D\uDE00 \uFFFD",
        "\"a\u0001b\tc\" | a\u0001b\tc",
        "\"a\\x41b\" | a\uFFFD41b",
        "\"a\\u12gb\" | a\uFFFD12gb",
      })
  void aTextThatJsonDoesNotAllowIsReadAsFarAsItIsKnown(String written, String read) {
    for (String batch : List.of("{\"list\":[\"before\",%s,\"behind\"]}", "{\"list\":[%s]}")) {
      assertThat(JsonText.object(batch.formatted(written)).get("list"))
          .asInstanceOf(InstanceOfAssertFactories.LIST)
          .contains(read)
          .hasSize(batch.contains("before") ? 3 : 1);
    }
    String name = "{%s:1,\"behind\":2}".formatted(written);
    assertThat(JsonText.object(name)).containsOnlyKeys(read, "behind");
  }

  @Test
  void aNumberThatIsNoneCostsItselfAlone() {
    for (String number :
        List.of(
            "NaN",
            "Infinity",
            "-Infinity",
            "-NaN",
            "1e999",
            "-1e999",
            "1".repeat(1001),
            "9".repeat(5000),
            "-" + "9".repeat(100_000),
            "01",
            "+1",
            ".5",
            "1.",
            "0x1F",
            "-")) {
      Map<String, Object> read =
          JsonText.object("{\"a\":[1,%s,\"b\"],\"c\":%s}".formatted(number, number));
      assertThat(read)
          .as(number)
          .isEqualTo(Map.of("a", List.of(1L, JsonText.NULL, "b"), "c", JsonText.NULL));
    }
  }

  @Test
  void numbersAreReadAsTheyAre() {
    assertThat(
            JsonText.object("{\"a\":[0,-0,7,-1.5,1e3,9223372036854775807,1e-999,1E+2]}").get("a"))
        .isEqualTo(List.of(0L, 0L, 7L, -1.5, 1000.0, Long.MAX_VALUE, 0.0, 100.0));
    assertThat(JsonText.object("{\"a\":9223372036854775808}").get("a")).isEqualTo(0x1p63);
  }

  @Test
  void whatIsWrongIsSaidWithoutWhatStandsThere() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JsonText.object("{\"secret\":\"canary\"; }"))
        .withMessage("it is no JSON object: a comma or } is missing at character 19");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JsonText.object("{\"a\":[" + "1,".repeat(100_000) + "1]}"))
        .withMessage("it has more than 100,000 values");
  }

  @Test
  void aBatchIsReadWithinItsTime() {
    String large = "{\"a\":[" + "\"\\ud800\u0001\",".repeat(90_000) + "7]}";
    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> JsonText.object(large));
    String open = "{\"a\":" + "{\"b\":[".repeat(70_000);
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () ->
            assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonText.object(open))
                .withMessageContaining("does not end"));
  }

  @Test
  void whatIsTooDeepIsLeftOutAndTheRestIsRead() {
    for (int depth : new int[] {200, 1000, 100_000}) {
      String arrays = "[".repeat(depth) + "1" + "]".repeat(depth);
      String objects = "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
      Map<String, Object> read =
          JsonText.object("{\"a\":%s,\"b\":%s,\"c\":\"d\"}".formatted(arrays, objects));
      assertThat(JsonText.text(read, "c")).isEqualTo("d");
      assertThat(levels(read.get("a"))).as("the object around it is the first").isEqualTo(199);
      assertThat(levels(read.get("b"))).isEqualTo(199);
    }
  }

  private static int levels(@Nullable Object value) {
    int levels = 0;
    @Nullable Object inner = value;
    while (inner instanceof List<?> || inner instanceof Map<?, ?>) {
      levels++;
      inner = inner instanceof List<?> list ? list.getFirst() : ((Map<?, ?>) inner).get("a");
    }
    assertThat(inner).isSameAs(JsonText.NULL);
    return levels;
  }

  @Test
  void endlessNestingIsRefused() {
    String deep = "{\"a\":" + "[".repeat(1_000_000) + "]".repeat(1_000_000) + "}";
    assertThatThrownBy(() -> JsonText.object(deep)).isInstanceOf(JsonText.TooLargeException.class);
  }
}
