package dev.holdfast.api;

import java.util.List;

/**
 * What a model is asked.
 *
 * @param model the provider's name of the model, without the provider
 * @param system may be empty
 */
public record ModelRequest(
    String model,
    String system,
    List<Message> messages,
    List<ToolSpec> tools,
    int outputTokensMax) {
  public ModelRequest {
    messages = List.copyOf(messages);
    tools = List.copyOf(tools);
  }
}
