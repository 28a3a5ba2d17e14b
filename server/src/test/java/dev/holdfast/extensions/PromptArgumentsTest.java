package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.extensions.ListedPrompt.Argument;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptArgumentsTest {
  private static final List<Argument> TWO =
      List.of(new Argument("city", true), new Argument("state", false));

  private static String read(List<Argument> declared, String text) {
    return PromptArguments.read(declared, text).map(read -> read.encode()).orElse("none");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "Paris|{\"city\":\"Paris\"}",
        "Paris Texas and so on|{\"city\":\"Paris\",\"state\":\"Texas and so on\"}",
        "\"New York\" NY|{\"city\":\"New York\",\"state\":\"NY\"}",
        "state=NY city='New York'|{\"city\":\"New York\",\"state\":\"NY\"}",
        "city=Paris really|{\"city\":\"city=Paris\",\"state\":\"really\"}",
        "a=b|{\"city\":\"a=b\"}",
        "state=NY|none",
        "``|none"
      })
  void argumentsAreNamedOrInTheirOrder(String text, String expected) {
    assertThat(read(TWO, text)).isEqualTo(expected);
  }

  @Test
  void theLastArgumentTakesTheRestAndAPromptWithoutAnyTakesNothing() {
    assertThat(read(TWO.subList(0, 1), " New York,\nNY "))
        .isEqualTo("{\"city\":\"New York,\\nNY\"}");
    assertThat(read(List.of(), " ")).isEqualTo("{}");
    assertThat(read(List.of(), "x")).isEqualTo("none");
  }
}
