package dev.holdfast.api;

import java.util.Objects;

/**
 * A tool as it is offered to a model.
 *
 * @param schema JSON Schema of the arguments, an object schema
 * @param resultSchema JSON Schema of the text that a call without failure returns, which is then
 *     one JSON object; empty when the text is free
 */
public record ToolSpec(String name, String description, String schema, String resultSchema) {
  public ToolSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(resultSchema, "resultSchema");
  }

  /** Of a tool whose result is free text. */
  public ToolSpec(String name, String description, String schema) {
    this(name, description, schema, "");
  }
}
