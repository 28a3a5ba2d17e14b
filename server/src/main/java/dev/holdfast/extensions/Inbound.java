package dev.holdfast.extensions;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Something that a server sent.
 *
 * @param message empty for what is no message
 * @param isBlank for what is nothing at all, and no fault either
 */
record Inbound(Optional<JsonObject> message, boolean isBlank) {
  static final Inbound BLANK = new Inbound(Optional.empty(), true);
  static final Inbound NO_MESSAGE = new Inbound(Optional.empty(), false);

  static Inbound of(String text) {
    if (text.isBlank()) {
      return BLANK;
    }
    try {
      JsonObject message = new JsonObject(text);
      return "2.0".equals(message.getValue("jsonrpc"))
          ? new Inbound(Optional.of(message), false)
          : NO_MESSAGE;
    } catch (DecodeException | ClassCastException _) {
      return NO_MESSAGE;
    }
  }

  /** Whether it answers that request. */
  boolean answers(long request) {
    return message
        .filter(sent -> !sent.containsKey("method"))
        .filter(sent -> sent.getValue("id") instanceof Number id && id.longValue() == request)
        .isPresent();
  }
}
