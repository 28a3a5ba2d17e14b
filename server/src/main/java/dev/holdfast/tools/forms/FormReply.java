package dev.holdfast.tools.forms;

import io.vertx.core.json.JsonObject;

/** How a form came back. */
public sealed interface FormReply {
  /**
   * @param content the fields by their names, those that hold nothing left out
   */
  record Accepted(JsonObject content) implements FormReply {}

  /**
   * @param reason in a few words, for the story and the model
   */
  record Declined(String reason) implements FormReply {}
}
