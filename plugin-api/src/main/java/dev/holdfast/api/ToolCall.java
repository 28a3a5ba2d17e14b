package dev.holdfast.api;

/**
 * A model's wish to call a tool.
 *
 * @param id unique within the conversation; made by us where the provider gives none
 * @param arguments a JSON object, as the model wrote it
 */
public record ToolCall(String id, String tool, String arguments) {}
