package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
      strings = {"", "[]", "{", "{\"a\"", "{\"a\":}", "{\"a\":1}x", "{\"a\":\"\\u12", "{a:1}"})
  void whatIsNoObjectIsRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> JsonText.object(text));
  }

  @Test
  void deepNestingIsRefused() {
    String deep = "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertThatIllegalArgumentException().isThrownBy(() -> JsonText.object(deep));
  }
}
