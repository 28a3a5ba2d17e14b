package dev.holdfast.tasks.models;

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
record Form(ToolSpec spec, Function<JsonObject, List<String>> fits) {
  /** What is wrong with an answer, in sentences; empty when nothing is. */
  List<String> problems(String json) {
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
