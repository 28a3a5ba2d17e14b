package dev.holdfast.channels;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.InboundMessage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads {@code {thread, sender, text, attachments?}}. Strict about what it uses, and about JSON
 * itself; other keys are left alone, so that a sender may say more than we know. Time is linear in
 * the body.
 */
final class WebhookBody {
  private static final int DEPTH_MAX = 64;
  private static final int THREAD_UNITS_MAX = InboundPayload.THREAD_BYTES_MAX;
  private static final int SENDER_UNITS_MAX = 512;
  private static final int TEXT_UNITS_MAX = 1_048_576;
  private static final int NAME_UNITS_MAX = 1024;
  private static final int MEDIA_TYPE_UNITS_MAX = 255;
  private static final int URL_UNITS_MAX = 8192;
  private static final int ATTACHMENTS_MAX = 32;
  private static final int TYPE_UNITS_SHOWN = 100;

  /** A message has a few dozen; a megabyte of numbers would take a second to read. */
  private static final int TOKENS_MAX = 20_000;

  /** A sender need not name it: so far there is only one. */
  static final String TYPE = "message";

  private final ObjectMapper json;

  /** A message that is not what we agreed on. The reason shows nothing of its content. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String reason;

    UnreadableException(String reason) {
      super(reason);
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }

  /** A message of a kind that is not known here. */
  static final class UnknownTypeException extends Exception {
    private static final long serialVersionUID = 1L;
    private final String type;

    UnknownTypeException(String type) {
      super(type);
      this.type = type;
    }

    /** As it may be shown. */
    String type() {
      return type;
    }
  }

  WebhookBody() {
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // A table of names that outlives the request would be filled by whoever sends many
            // names.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxNumberLength(100)
                    .maxNameLength(1024)
                    .maxStringLength(TEXT_UNITS_MAX)
                    .maxTokenCount(TOKENS_MAX)
                    .build())
            .build();
    json =
        JsonMapper.builder(factory).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  }

  InboundMessage read(String account, String id, byte[] body)
      throws UnreadableException, UnknownTypeException {
    JsonNode root = parse(body);
    if (!root.isObject()) {
      throw new UnreadableException("not a JSON object");
    }
    checkType(root);
    return new InboundMessage(
        account,
        name(root, "thread", THREAD_UNITS_MAX),
        name(root, "sender", SENDER_UNITS_MAX),
        text(root, "text", TEXT_UNITS_MAX),
        attachments(root.path("attachments")),
        id);
  }

  private static void checkType(JsonNode root) throws UnreadableException, UnknownTypeException {
    String type = text(root, "type", TEXT_UNITS_MAX);
    if (!type.isEmpty() && !type.equals(TYPE)) {
      String start = type.substring(0, Math.min(TYPE_UNITS_SHOWN, type.length()));
      throw new UnknownTypeException(start.replaceAll("[^\\x20-\\x7e]", "?"));
    }
  }

  private JsonNode parse(byte[] body) throws UnreadableException {
    try {
      // Jackson would guess UTF-16 and UTF-32 from the first bytes; only UTF-8 is agreed on.
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      return json.readTree(text);
    } catch (CharacterCodingException e) {
      throw new UnreadableException("not UTF-8");
    } catch (JsonProcessingException e) {
      throw new UnreadableException("not JSON within the limits");
    }
  }

  /** A text that stands in lists and logs: it may not be blank, and it may not break a line. */
  private static String name(JsonNode parent, String key, int unitsMax) throws UnreadableException {
    String name = text(parent, key, unitsMax);
    if (name.isBlank()) {
      throw new UnreadableException(key + " is missing");
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new UnreadableException(key + " has a control character");
    }
    return name;
  }

  /** Empty when it is absent or null. */
  private static String text(JsonNode parent, String key, int unitsMax) throws UnreadableException {
    JsonNode node = parent.path(key);
    if (node.isMissingNode() || node.isNull()) {
      return "";
    }
    if (!node.isTextual()) {
      throw new UnreadableException(key + " is not a text");
    }
    String text = node.textValue();
    if (text.length() > unitsMax) {
      throw new UnreadableException(key + " is longer than " + unitsMax);
    }
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit == '\0') {
        throw new UnreadableException(key + " has a NUL");
      }
      if (Character.isSurrogate(unit)) {
        boolean paired =
            Character.isHighSurrogate(unit)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!paired) {
          throw new UnreadableException(key + " has half of a surrogate pair");
        }
        i++;
      }
    }
    return text;
  }

  private static List<Attachment> attachments(JsonNode node) throws UnreadableException {
    if (node.isMissingNode() || node.isNull()) {
      return List.of();
    }
    if (!node.isArray()) {
      throw new UnreadableException("attachments is not a list");
    }
    if (node.size() > ATTACHMENTS_MAX) {
      throw new UnreadableException("attachments has more than " + ATTACHMENTS_MAX);
    }
    List<Attachment> attachments = new ArrayList<>();
    for (JsonNode attachment : node) {
      attachments.add(attachment(attachment));
    }
    return attachments;
  }

  private static Attachment attachment(JsonNode node) throws UnreadableException {
    if (!node.isObject()) {
      throw new UnreadableException("an attachment is not an object");
    }
    String url = name(node, "url", URL_UNITS_MAX);
    String lower = url.substring(0, Math.min(8, url.length())).toLowerCase(Locale.ROOT);
    if (!lower.startsWith("https://") && !lower.startsWith("http://")) {
      throw new UnreadableException("the url of an attachment is not http or https");
    }
    JsonNode bytes = node.path("bytes");
    boolean stated = !bytes.isMissingNode() && !bytes.isNull();
    if (stated
        && !(bytes.isIntegralNumber() && bytes.canConvertToLong() && bytes.longValue() >= 0)) {
      throw new UnreadableException("bytes of an attachment is not a size");
    }
    return new Attachment(
        text(node, "name", NAME_UNITS_MAX),
        text(node, "media_type", MEDIA_TYPE_UNITS_MAX),
        url,
        stated ? bytes.longValue() : -1);
  }
}
