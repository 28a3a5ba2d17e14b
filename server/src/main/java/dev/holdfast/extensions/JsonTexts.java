package dev.holdfast.extensions;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.UnaryOperator;

/** Changes the texts of JSON, at any depth. */
final class JsonTexts {
  private JsonTexts() {}

  /** With {@code change} made to each text, names of members included. */
  static JsonObject mapped(JsonObject object, UnaryOperator<String> change) {
    JsonObject mapped = new JsonObject();
    object.forEach(
        member -> mapped.put(change.apply(member.getKey()), value(member.getValue(), change)));
    return mapped;
  }

  private static Object value(Object value, UnaryOperator<String> change) {
    return switch (value) {
      case String text -> change.apply(text);
      case JsonObject object -> mapped(object, change);
      case JsonArray array -> {
        JsonArray all = new JsonArray();
        array.forEach(each -> all.add(value(each, change)));
        yield all;
      }
      case UnreadableItem item -> new UnreadableItem(change.apply(item.name()), item.reason());
      case null, default -> value;
    };
  }
}
