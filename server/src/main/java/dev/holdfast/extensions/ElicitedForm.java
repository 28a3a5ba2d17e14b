package dev.holdfast.extensions;

import dev.holdfast.tools.forms.PersonForm;
import io.vertx.core.json.JsonObject;

/** A form as an MCP server asks for it: what is too much for a chat, or a secret, is refused. */
sealed interface ElicitedForm {
  /** It can be put to a person. */
  record Askable(PersonForm form) implements ElicitedForm {}

  /** It is declined; {@code reason} in a few words. */
  record Refused(String reason) implements ElicitedForm {}

  /** Reads the parameters of an elicitation in form mode. */
  static ElicitedForm read(String source, JsonObject parameters) {
    return new ElicitedFormReader(source).read(parameters);
  }
}
