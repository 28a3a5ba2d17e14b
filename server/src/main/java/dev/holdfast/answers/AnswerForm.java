package dev.holdfast.answers;

import dev.holdfast.api.ToolSpec;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tools.SchemaCheck;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Function;

/**
 * What a model is to answer: the arguments of a call.
 *
 * @param spec the tool that is offered for it; nothing runs
 * @param fits says what is wrong with an answer that has the right shape, in sentences
 */
public record AnswerForm(ToolSpec spec, Function<JsonObject, List<String>> fits) {
  /** In units of UTF-16: no answer that people can look through is longer. */
  static final int UNITS_MAX = 256 * 1024;

  /** What is wrong with an answer, in sentences; empty when nothing is. */
  public List<String> problems(String json) {
    if (json.length() > UNITS_MAX) {
      return List.of("The arguments are longer than " + UNITS_MAX + " characters.");
    }
    try {
      return SchemaCheck.of("arguments", spec.schema())
          .problem(json)
          .map(List::of)
          .orElseGet(() -> fits.apply(new JsonObject(json)));
    } catch (RegistrationRefusedException e) {
      throw new IllegalStateException(e);
    }
  }
}
