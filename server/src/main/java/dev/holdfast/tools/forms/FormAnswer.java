package dev.holdfast.tools.forms;

import io.vertx.core.json.JsonObject;

/** What a person's words mean for a form. */
public sealed interface FormAnswer {
  /** It is complete. */
  record Complete(JsonObject content) implements FormAnswer {}

  /** It cannot be taken; {@code problem} says why, for the person. */
  record Faulty(String problem) implements FormAnswer {}
}
