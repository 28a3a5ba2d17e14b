package dev.holdfast.ingress.openai;

import dev.holdfast.api.ToolCall;
import dev.holdfast.ingress.stream.SseWriter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One chat completion as its client reads it. A chunk cannot be taken back: when what was streamed
 * turns out to be void, the whole answer follows behind it.
 */
final class ChatCompletionText implements AnswerProgress {
  private final SseWriter events;
  private final boolean streams;
  private final boolean tellsUsage;
  private final JsonObject head;
  private final StreamedText sent = new StreamedText();
  private boolean isBegun;

  /**
   * @param now when it began
   * @param streamOptions as the client sent them
   */
  ChatCompletionText(
      SseWriter events,
      String model,
      Instant now,
      boolean streams,
      @Nullable Object streamOptions) {
    this.events = events;
    this.streams = streams;
    this.tellsUsage =
        streamOptions instanceof JsonObject options
            && Boolean.TRUE.equals(options.getValue("include_usage"));
    this.head =
        new JsonObject()
            .put("id", "chatcmpl-" + UUID.randomUUID().toString().replace("-", ""))
            .put("object", streams ? "chat.completion.chunk" : "chat.completion")
            .put("created", now.getEpochSecond())
            .put("model", model);
  }

  @Override
  public void onText(String delta) throws InterruptedException {
    if (streams) {
      write(sent.add(delta));
    }
  }

  @Override
  public void onRestart() {
    sent.voided();
  }

  @Override
  public void onRun(int run) {
    if (sent.isNothing()) {
      sent.clear();
    }
  }

  @Override
  public void onMissed() {
    sent.voided();
  }

  @Override
  public void onRound() {
    sent.endRound();
  }

  @Override
  public void onQuiet() throws InterruptedException {
    if (streams) {
      events.write(": still here\n\n");
    }
  }

  private void write(String text) throws InterruptedException {
    if (!text.isEmpty()) {
      chunk(delta().put("content", text), null);
    }
  }

  /** The role goes with the first one. */
  private JsonObject delta() {
    JsonObject delta = new JsonObject();
    if (!isBegun) {
      isBegun = true;
      delta.put("role", "assistant");
    }
    return delta;
  }

  private void chunk(JsonObject delta, @Nullable String finishReason) throws InterruptedException {
    JsonObject choice =
        new JsonObject()
            .put("index", 0)
            .put("delta", delta)
            .putNull("logprobs")
            .put("finish_reason", finishReason);
    send(new JsonArray().add(choice), null);
  }

  private void send(JsonArray choices, @Nullable JsonObject usage) throws InterruptedException {
    JsonObject chunk = head.copy().put("choices", choices);
    if (tellsUsage) {
      chunk.put("usage", usage);
    }
    events.write("data: " + chunk.encode() + "\n\n");
  }

  /** The rest of a stream. */
  void end(CompletedAnswer answer) throws InterruptedException {
    Optional<String> rest = sent.rest(answer.text());
    write(rest.orElse(sent.isNothing() ? answer.text() : "\n\n" + answer.text()));
    JsonArray calls = calls(answer, true);
    if (!calls.isEmpty()) {
      chunk(delta().put("tool_calls", calls), null);
    }
    chunk(delta(), finishReason(answer));
    if (tellsUsage) {
      send(new JsonArray(), usage(answer));
    }
    events.write("data: [DONE]\n\n");
  }

  /** All of it at once. */
  JsonObject whole(CompletedAnswer answer) {
    JsonObject message =
        new JsonObject()
            .put("role", "assistant")
            .put("content", answer.text().isEmpty() ? null : answer.text())
            .putNull("refusal");
    JsonArray calls = calls(answer, false);
    if (!calls.isEmpty()) {
      message.put("tool_calls", calls);
    }
    JsonObject choice =
        new JsonObject()
            .put("index", 0)
            .put("message", message)
            .putNull("logprobs")
            .put("finish_reason", finishReason(answer));
    return head.copy().put("choices", new JsonArray().add(choice)).put("usage", usage(answer));
  }

  private static JsonArray calls(CompletedAnswer answer, boolean numbered) {
    JsonArray calls = new JsonArray();
    for (ToolCall call : answer.calls()) {
      JsonObject view =
          new JsonObject()
              .put("id", call.id())
              .put("type", "function")
              .put(
                  "function",
                  new JsonObject().put("name", call.tool()).put("arguments", call.arguments()));
      calls.add(numbered ? view.put("index", calls.size()) : view);
    }
    return calls;
  }

  private static String finishReason(CompletedAnswer answer) {
    if (!answer.calls().isEmpty()) {
      return "tool_calls";
    }
    return switch (answer.stop()) {
      case END, TOOL_CALLS -> "stop";
      case LENGTH -> "length";
      case REFUSED -> "content_filter";
    };
  }

  private static JsonObject usage(CompletedAnswer answer) {
    long output = answer.usage().output();
    return new JsonObject()
        .put("prompt_tokens", answer.inputTokens())
        .put("completion_tokens", output)
        .put("total_tokens", answer.inputTokens() + output)
        .put(
            "prompt_tokens_details",
            new JsonObject().put("cached_tokens", answer.usage().cacheRead()));
  }
}
