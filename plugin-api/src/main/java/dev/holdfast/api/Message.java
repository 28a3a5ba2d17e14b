package dev.holdfast.api;

import java.util.List;
import java.util.Objects;

/** One entry of a conversation as a model sees it. */
public sealed interface Message {
  /**
   * What a person said.
   *
   * @param images what the model is to see, in the order in which they came; PNG, JPEG, GIF or WebP
   */
  record User(String text, List<StoredFile> images) implements Message {
    public User {
      Objects.requireNonNull(text, "text");
      images = List.copyOf(images);
    }

    public User(String text) {
      this(text, List.of());
    }
  }

  /**
   * What a model said.
   *
   * @param opaque what the provider wants back unchanged (thinking blocks, signatures), as its own
   *     JSON; empty when there is none
   * @param model the model that said it, {@code provider/name}: opaque parts go back to that one
   *     only
   */
  record Assistant(String text, List<ToolCall> toolCalls, String opaque, String model)
      implements Message {
    public Assistant {
      Objects.requireNonNull(text, "text");
      Objects.requireNonNull(opaque, "opaque");
      Objects.requireNonNull(model, "model");
      toolCalls = List.copyOf(toolCalls);
    }
  }

  /**
   * How a call of a tool ended.
   *
   * @param images what the model is to see of it; PNG, JPEG, GIF or WebP
   */
  record ToolResult(
      String callId, String tool, String text, boolean isError, List<StoredFile> images)
      implements Message {
    public ToolResult {
      images = List.copyOf(images);
    }

    public ToolResult(String callId, String tool, String text, boolean isError) {
      this(callId, tool, text, isError, List.of());
    }
  }
}
