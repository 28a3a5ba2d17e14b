package dev.holdfast.api;

import java.util.Objects;

/**
 * A model's wish to call a tool.
 *
 * @param id unique within the conversation; made by us where the provider gives none
 * @param arguments a JSON object, as the model wrote it
 */
public record ToolCall(String id, String tool, String arguments) {
  public ToolCall {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(tool, "tool");
    Objects.requireNonNull(arguments, "arguments");
  }
}
