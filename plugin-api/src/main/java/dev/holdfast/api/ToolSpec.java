package dev.holdfast.api;

/**
 * A tool as it is offered to a model.
 *
 * @param schema JSON Schema of the arguments, an object schema
 * @param resultSchema JSON Schema of the text that a call without failure returns, which is then
 *     one JSON object; empty when the text is free
 */
public record ToolSpec(String name, String description, String schema, String resultSchema) {
  /** Of a tool whose result is free text. */
  public ToolSpec(String name, String description, String schema) {
    this(name, description, schema, "");
  }
}
