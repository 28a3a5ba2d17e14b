package dev.holdfast.channels;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import java.util.List;

/** Messages as the payload of an event and back. */
public final class InboundPayload {
  /**
   * A thread's id as its channel has it, in UTF-8: percent-encoded it still fits into the first
   * line of a request.
   */
  public static final int THREAD_BYTES_MAX = 1000;

  private static final String ORIGIN = "origin";
  private static final String SUPERSEDES = "supersedes";
  private static final String LEVEL = "level";
  private static final ObjectMapper JSON = new ObjectMapper();

  private InboundPayload() {}

  public static String write(InboundMessage message) {
    try {
      return JSON.writeValueAsString(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a message of texts and numbers is always JSON", e);
    }
  }

  /** As {@link #write(InboundMessage)}, with what it says besides its words. */
  public static String write(InboundMessage message, MessageOptions options) {
    if (options.equals(MessageOptions.NONE)) {
      return write(message);
    }
    ObjectNode payload = JSON.valueToTree(message);
    if (options.replaces()) {
      payload.put(SUPERSEDES, options.supersedes());
    }
    if (!options.level().isEmpty()) {
      payload.put(LEVEL, options.level());
    }
    return payload.toString();
  }

  /** What a message says besides its words; nothing when the payload is no message. */
  public static MessageOptions options(String payload) {
    if (!payload.contains("\"" + SUPERSEDES + "\"") && !payload.contains("\"" + LEVEL + "\"")) {
      return MessageOptions.NONE; // most have none, and every message is read often
    }
    try {
      JsonNode message = JSON.readTree(payload);
      return new MessageOptions(message.path(SUPERSEDES).asText(), message.path(LEVEL).asText());
    } catch (JsonProcessingException _) {
      return MessageOptions.NONE;
    }
  }

  /**
   * Who sent a message, and nothing of what it said; a payload that is no message becomes empty.
   */
  public static String withoutWords(String payload) {
    try {
      InboundMessage message = read(payload);
      return write(
          new InboundMessage(
              message.account(),
              message.thread(),
              message.sender(),
              "",
              List.of(),
              message.dedupeKey(),
              message.origin()));
    } catch (IllegalArgumentException _) {
      return "";
    }
  }

  /**
   * @throws IllegalArgumentException when the payload is not a message: a bug or a damaged row
   */
  public static InboundMessage read(String payload) {
    try {
      JsonNode message = JSON.readTree(payload);
      if (!(message instanceof ObjectNode object)) {
        throw new IllegalArgumentException("not a message: it is no object");
      }
      if (!object.has(ORIGIN)) {
        object.set(ORIGIN, JSON.valueToTree(Origin.direct())); // of a message of an older version
      }
      object.remove(List.of(SUPERSEDES, LEVEL));
      return JSON.treeToValue(object, InboundMessage.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a message: " + e.getOriginalMessage(), e);
    }
  }
}
