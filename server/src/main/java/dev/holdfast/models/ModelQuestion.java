package dev.holdfast.models;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolSpec;
import java.util.List;

/** What a turn asks, of whichever model answers. */
public record ModelQuestion(String system, List<Message> messages, List<ToolSpec> tools) {
  public ModelQuestion {
    messages = List.copyOf(messages);
    tools = List.copyOf(tools);
  }
}
