package dev.holdfast.extensions;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Something that a server sent.
 *
 * @param message empty for what is no message
 * @param unreadable an answer of which only so much is known
 * @param problem why it is no message; empty for one, and for nothing at all, which is no fault
 */
record Inbound(Optional<JsonObject> message, Optional<Unreadable> unreadable, String problem) {
  static final Inbound BLANK = new Inbound(Optional.empty(), Optional.empty(), "");

  /** Of what a server wrote, in the words about it. */
  private static final int SHOWN_UNITS_MAX = 100;

  /**
   * An answer that is beyond what can be read.
   *
   * @param id of the request
   * @param reason why
   * @param rest of its result; what could not be read is left out, an item of a list is an {@link
   *     UnreadableItem}. Empty when nothing of it is sure.
   */
  record Unreadable(long id, String reason, Optional<JsonObject> rest) {}

  /** What a text says; a blank one says nothing. */
  static Inbound of(String text) {
    if (text.isBlank()) {
      return BLANK;
    }
    try {
      JsonObject message = new JsonObject(text);
      return "2.0".equals(message.getValue("jsonrpc"))
          ? of(message)
          : noMessage("it is not of JSON-RPC 2.0: " + shown(text));
    } catch (DecodeException | ClassCastException _) {
      return PartialAnswer.at(text)
          .map(answer -> new Inbound(Optional.empty(), Optional.of(answer), answer.reason()))
          .orElseGet(() -> noMessage("it is no JSON object that can be read: " + shown(text)));
    }
  }

  static Inbound of(JsonObject message) {
    return new Inbound(Optional.of(message), Optional.empty(), "");
  }

  static Inbound noMessage(String problem) {
    return new Inbound(Optional.empty(), Optional.empty(), problem);
  }

  private static String shown(String text) {
    return Texts.visible(Texts.cut(text, SHOWN_UNITS_MAX)).strip().replaceAll("\\s+", " ");
  }

  boolean isBlank() {
    return message.isEmpty() && problem.isEmpty();
  }

  /** What is known of the result of an answer. */
  Optional<JsonObject> result() {
    return message
        .map(answer -> answer.getValue("result"))
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .or(() -> unreadable.flatMap(Unreadable::rest));
  }

  /** Whether it answers that request. */
  boolean answers(long request) {
    return unreadable.filter(answer -> answer.id() == request).isPresent()
        || message
            .filter(sent -> !sent.containsKey("method"))
            .filter(sent -> sent.getValue("id") instanceof Number id && id.longValue() == request)
            .isPresent();
  }
}
