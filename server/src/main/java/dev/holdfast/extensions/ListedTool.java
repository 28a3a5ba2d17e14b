package dev.holdfast.extensions;

import dev.holdfast.tools.schema.JsonSchema;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A tool as its server lists it.
 *
 * @param resultSchema empty when the server declares none
 */
record ListedTool(
    String name, String description, String schema, String resultSchema, ToolHints hints) {
  private static final int NAME_UNITS_MAX = 128;
  private static final int DESCRIPTION_UNITS_MAX = 4096;

  /** What the toolbox takes: of a longer or deeper one only so much is kept that it is refused. */
  private static final int SCHEMA_UNITS_MAX = 131_072;

  /** Why what is listed cannot be a tool here; empty when it can. */
  static Optional<RefusedTool> problem(@Nullable Object listed) {
    if (listed instanceof UnreadableItem item) {
      return Optional.of(new RefusedTool(item.name(), "it cannot be read: " + item.reason()));
    }
    if (!(listed instanceof JsonObject tool)) {
      return Optional.of(new RefusedTool("", "it is no object"));
    }
    if (!(tool.getValue("name") instanceof String name) || name.isBlank()) {
      return Optional.of(new RefusedTool("", "its name is missing, empty or no text"));
    }
    if (name.length() > NAME_UNITS_MAX) {
      String why = "its name has more than " + NAME_UNITS_MAX + " characters";
      return Optional.of(new RefusedTool(name, why));
    }
    return mustBeTask(tool)
        ? Optional.of(new RefusedTool(name, "it can be called as a task only"))
        : Optional.empty();
  }

  /**
   * Reads one.
   *
   * @param tool one without a {@link #problem}
   */
  static ListedTool read(JsonObject tool) {
    String name = tool.getString("name");
    String description =
        tool.getValue("description") instanceof String text
            ? text
            : tool.getValue("title") instanceof String title ? title : name;
    return new ListedTool(
        name,
        Texts.cut(Texts.visible(description), DESCRIPTION_UNITS_MAX),
        schema(tool, "inputSchema", "{\"type\":\"object\"}"),
        schema(tool, "outputSchema", ""),
        ToolHints.of(tool.getValue("annotations")));
  }

  private static String schema(JsonObject tool, String key, String none) {
    return tool.getValue(key) instanceof JsonObject schema
        ? Texts.visible(Texts.cut(shallow(schema).encode(), SCHEMA_UNITS_MAX + 1))
        : none;
  }

  private static JsonObject shallow(JsonObject schema) {
    return (JsonObject) Objects.requireNonNull(shallow(schema, JsonSchema.NESTING_MAX + 1));
  }

  /** Of what is nested too deep the outer levels. */
  private static @Nullable Object shallow(@Nullable Object part, int levels) {
    return switch (part) {
      case JsonObject _ when levels == 0 -> true;
      case JsonArray _ when levels == 0 -> true;
      case JsonObject object -> {
        JsonObject kept = new JsonObject();
        object.forEach(each -> kept.put(each.getKey(), shallow(each.getValue(), levels - 1)));
        yield kept;
      }
      case JsonArray array -> {
        JsonArray kept = new JsonArray();
        array.forEach(each -> kept.add(shallow(each, levels - 1)));
        yield kept;
      }
      case null, default -> part;
    };
  }

  private static boolean mustBeTask(JsonObject tool) {
    return tool.getValue("execution") instanceof JsonObject execution
        && "required".equals(execution.getValue("taskSupport"));
  }

  /** How long it is in all, in UTF-16 units. */
  long units() {
    return (long) name.length() + description.length() + schema.length() + resultSchema.length();
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("name", name)
        .put("description", description)
        .put("schema", schema)
        .put("result_schema", resultSchema)
        .put("annotations", hints.toJson());
  }

  /** As it was kept. */
  static ListedTool of(JsonObject kept) {
    return new ListedTool(
        kept.getString("name"),
        kept.getString("description"),
        kept.getString("schema"),
        kept.getString("result_schema"),
        ToolHints.of(kept.getValue("annotations")));
  }
}
