package dev.holdfast.extensions;

/**
 * What a server says of a tool, whole.
 *
 * @param resultSchema empty when the server declares none
 * @param annotations as JSON
 */
public record ToolText(String description, String schema, String resultSchema, String annotations) {
  static ToolText of(ListedTool tool) {
    return new ToolText(
        tool.description(), tool.schema(), tool.resultSchema(), tool.hints().toJson().encode());
  }

  long units() {
    return (long) description.length() + schema.length() + resultSchema.length();
  }
}
