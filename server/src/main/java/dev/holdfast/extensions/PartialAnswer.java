package dev.holdfast.extensions;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Looks again at a message that could not be read: for the request that it answers, and for what
 * can be read of its result. What is nested too deep, or a number or text that is too long, costs
 * the member of the result that it stands in; in a list, the item. For one thread.
 */
final class PartialAnswer {
  /** What is nested deeper is not even skipped: each level costs memory. */
  private static final int SKIPPED_NESTING_MAX = 100_000;

  private static final int NESTING_MAX = StreamReadConstraints.DEFAULT_MAX_DEPTH;
  private static final int DIGITS_MAX = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;
  private static final int TEXT_MAX = StreamReadConstraints.DEFAULT_MAX_STRING_LEN;

  /** So long a whole number always fits; no request of ours has a longer id. */
  private static final int ID_DIGITS_MAX = 18;

  private static final JsonFactory LOOSE =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(SKIPPED_NESTING_MAX)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final JsonParser parser;
  private OptionalLong id = OptionalLong.empty();
  private Optional<JsonObject> rest = Optional.empty();
  private boolean isOfProtocol;
  private boolean isAnswer = true;
  private String reason = "";

  private PartialAnswer(JsonParser parser) {
    this.parser = parser;
  }

  /** Empty for what is no answer to a request, as far as can be told. */
  static Optional<Inbound.Unreadable> at(String text) {
    if (!text.stripLeading().startsWith("{")) {
      return Optional.empty();
    }
    try (JsonParser parser = LOOSE.createParser(text)) {
      PartialAnswer answer = new PartialAnswer(parser);
      answer.read();
      return answer.found();
    } catch (IOException e) {
      throw new IllegalStateException("a text in memory can be read", e);
    }
  }

  private Optional<Inbound.Unreadable> found() {
    return isOfProtocol && isAnswer && id.isPresent() && !reason.isEmpty()
        ? Optional.of(new Inbound.Unreadable(id.getAsLong(), reason, rest))
        : Optional.empty();
  }

  private void read() {
    try {
      JsonToken _ = parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        member(parser.currentName(), parser.nextToken());
      }
    } catch (StreamConstraintsException _) {
      lose("it is nested more than " + SKIPPED_NESTING_MAX + " deep");
      rest = Optional.empty();
    } catch (IOException _) {
      lose("it is no JSON from character " + parser.currentLocation().getCharOffset() + " on");
      rest = Optional.empty();
    }
  }

  private void member(String name, JsonToken value) throws IOException {
    switch (name) {
      case "jsonrpc" ->
          isOfProtocol = value == JsonToken.VALUE_STRING && "2.0".equals(parser.getText());
      case "id" ->
          id =
              value == JsonToken.VALUE_NUMBER_INT && parser.getTextLength() <= ID_DIGITS_MAX
                  ? OptionalLong.of(parser.getLongValue())
                  : OptionalLong.empty();
      case "method", "params" -> isAnswer = false;
      case "result" -> {
        if (value == JsonToken.START_OBJECT) {
          rest = Optional.of(result());
        }
      }
      default -> {
        // It is looked at for its end alone.
      }
    }
    parser.skipChildren(); // of a member that was read it is at the end
  }

  private JsonObject result() throws IOException {
    JsonObject read = new JsonObject();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      if (parser.nextToken() == JsonToken.START_ARRAY) {
        read.put(name, items());
      } else {
        Part part = part();
        if (part.lost().isEmpty()) {
          read.put(name, part.value());
        }
      }
    }
    return read;
  }

  private JsonArray items() throws IOException {
    JsonArray items = new JsonArray();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      Part part = part();
      String name =
          part.value() instanceof JsonObject item && item.getValue("name") instanceof String text
              ? text
              : "";
      items.add(part.lost().isEmpty() ? part.value() : new UnreadableItem(name, part.lost()));
    }
    return items;
  }

  /**
   * A value, with null in the place of what is beyond the limits.
   *
   * @param lost why; empty when nothing was
   */
  private record Part(@Nullable Object value, String lost) {}

  private Part part() throws IOException {
    String before = reason;
    reason = "";
    Object value = value(1);
    Part part = new Part(value, reason);
    reason = before.isEmpty() ? reason : before;
    return part;
  }

  private @Nullable Object value(int depth) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT, START_ARRAY -> depth > NESTING_MAX ? skipped() : container(depth);
      case VALUE_STRING ->
          parser.getTextLength() > TEXT_MAX
              ? lose("it has a text of more than " + TEXT_MAX + " characters")
              : parser.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case null, default -> throw new IOException("not a value");
    };
  }

  private Object container(int depth) throws IOException {
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      JsonArray array = new JsonArray();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        array.add(value(depth + 1));
      }
      return array;
    }
    JsonObject object = new JsonObject();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken _ = parser.nextToken();
      object.put(name, value(depth + 1));
    }
    return object;
  }

  private @Nullable Object number() throws IOException {
    if (parser.getTextLength() > DIGITS_MAX) {
      return lose("it has a number of more than " + DIGITS_MAX + " digits");
    }
    return parser.currentToken() == JsonToken.VALUE_NUMBER_INT
        ? parser.getNumberValue()
        : (Object) parser.getDoubleValue();
  }

  private @Nullable Object skipped() throws IOException {
    parser.skipChildren();
    return lose("it is nested more than " + NESTING_MAX + " deep");
  }

  private @Nullable Object lose(String why) {
    reason = reason.isEmpty() ? why : reason;
    return null;
  }
}
