package dev.holdfast.tasks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StepInputsTest {
  private static final Map<String, String> OUTPUTS =
      Map.of("fetch", "{\"items\":[{\"title\":\"T\"}]}", "version", "1.10", "text", "a \"b\"");

  @Test
  void aReferenceAloneBecomesTheValueAndInATextItsText() throws Exception {
    assertThat(
            StepInputs.resolve(
                "{\"all\":\"${fetch.items}\",\"one\":\"<${fetch.items.0.title}>\","
                    + "\"v\":\"v${version}\",\"q\":\"${text}!\",\"other\":\"${HOME}${x}\"}",
                OUTPUTS))
        .isEqualTo(
            "{\"all\":[{\"title\":\"T\"}],\"one\":\"<T>\",\"v\":\"v1.10\","
                + "\"q\":\"a \\\"b\\\"!\",\"other\":\"${HOME}${x}\"}");
  }

  @Test
  void whatAStepDidNotAnswerIsNamed() {
    assertThatThrownBy(() -> StepInputs.resolve("{\"a\":\"${fetch.items.7}\"}", OUTPUTS))
        .hasMessage("the payload refers to ${fetch.items.7}, which that step did not answer");
  }

  @Test
  void aShortPayloadCannotTakeInMoreThanMemoryHolds() {
    Map<String, String> large = Map.of("a", "x".repeat(200_000));
    assertThatThrownBy(() -> StepInputs.resolve("{\"a\":\"" + "${a}".repeat(10_000) + "\"}", large))
        .hasMessage("the payload takes in more than 1048576 characters of answers");
  }

  @Test
  void onlyNamesOfStepsAreReferences() {
    assertThat(StepInputs.references("{\"a\":\"${one.x} ${two} ${USER}\"}", Set.of("one")))
        .containsExactly("one");
  }
}
