package dev.holdfast.api;

/**
 * A tool as it is offered to a model.
 *
 * @param schema JSON Schema of the arguments, an object schema
 */
public record ToolSpec(String name, String description, String schema) {}
