package dev.holdfast.ingress.openai;

import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.messages.Event;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a response says of itself however far its answer is, and its forms. That of a stored one is
 * made of the id of its message, so that it is known wherever the message is.
 *
 * @param asked the request; empty when it is not at hand any more
 * @param threadId its conversation; empty when it has none
 */
record ResponseFacts(String id, Instant created, String model, JsonObject asked, String threadId) {
  private static final String PREFIX = "resp_";
  private static final Pattern ID =
      Pattern.compile(
          PREFIX + "([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})");
  private static final String OWN_THREADS = "web:main:";

  static ResponseFacts of(Event event, JsonObject asked) {
    return new ResponseFacts(
        PREFIX + event.id().replace("-", ""),
        event.receivedAt(),
        OfferedModels.AGENT,
        asked,
        event.threadId());
  }

  /** Of one that is not stored. */
  static ResponseFacts unstored(Instant now, String model, JsonObject asked) {
    return new ResponseFacts(
        PREFIX + UUID.randomUUID().toString().replace("-", ""), now, model, asked, "");
  }

  /** The message of a stored response; empty when the id can be of none. */
  static Optional<String> eventId(String responseId) {
    var parts = ID.matcher(responseId);
    return parts.matches() ? Optional.of(parts.replaceAll("$1-$2-$3-$4-$5")) : Optional.empty();
  }

  /** Without the prefix, for the ids of its items. */
  private String key() {
    return id.substring(PREFIX.length());
  }

  /** The id of the answer. */
  String answerId() {
    return "msg_" + key();
  }

  /** The id of a question. */
  String questionId(int n) {
    return answerId() + "_q" + n;
  }

  private boolean isStored() {
    return !threadId.isEmpty();
  }

  /** {@code status}: one of the protocol's. */
  JsonObject view(String status, JsonArray output, @Nullable JsonObject usage) {
    return new JsonObject()
        .put("id", id)
        .put("object", "response")
        .put("created_at", created.getEpochSecond())
        .putNull("completed_at")
        .put("status", status)
        .putNull("error")
        .putNull("incomplete_details")
        .put("model", model)
        .put("output", output)
        .put("usage", usage)
        .put("previous_response_id", asked.getValue("previous_response_id"))
        .put("conversation", conversation())
        .put("instructions", asked.getValue("instructions"))
        .put("tools", tools())
        .put("tool_choice", asked.getValue("tool_choice", "auto"))
        .put("parallel_tool_calls", asked.getValue("parallel_tool_calls", true))
        .put("text", new JsonObject().put("format", new JsonObject().put("type", "text")))
        .put("truncation", "disabled")
        .put("temperature", asked.getValue("temperature", 1))
        .put("top_p", asked.getValue("top_p", 1))
        .put("presence_penalty", asked.getValue("presence_penalty", 0))
        .put("frequency_penalty", asked.getValue("frequency_penalty", 0))
        .put("top_logprobs", 0)
        .put("max_output_tokens", asked.getValue("max_output_tokens"))
        .put("max_tool_calls", asked.getValue("max_tool_calls"))
        .putNull("reasoning")
        .put("store", isStored())
        .put("background", Boolean.TRUE.equals(asked.getValue("background")))
        .put("service_tier", "default")
        .put("metadata", asked.getValue("metadata", new JsonObject()))
        .put("user", asked.getValue("user"))
        .put("safety_identifier", asked.getValue("safety_identifier"))
        .put("prompt_cache_key", asked.getValue("prompt_cache_key"));
  }

  private @Nullable JsonObject conversation() {
    if (!isStored()) {
      return null;
    }
    String own =
        threadId.startsWith(OWN_THREADS) ? threadId.substring(OWN_THREADS.length()) : threadId;
    return new JsonObject().put("id", own);
  }

  private JsonArray tools() {
    JsonArray tools = new JsonArray();
    if (asked.getValue("tools") instanceof JsonArray given) {
      for (Object each : given) {
        JsonObject tool = (JsonObject) each;
        tools.add(
            new JsonObject()
                .put("type", "function")
                .put("name", tool.getValue("name"))
                .put("description", tool.getValue("description"))
                .put("parameters", tool.getValue("parameters"))
                .put("strict", tool.getValue("strict", false)));
      }
    }
    return tools;
  }

  /** A message of which nothing is said yet. */
  static JsonObject message(String id) {
    return message(id, "in_progress", new JsonArray());
  }

  /** {@code isWhole}: whether nothing is missing at its end. */
  static JsonObject message(String id, String text, boolean isWhole) {
    return message(id, isWhole ? "completed" : "incomplete", new JsonArray().add(textPart(text)));
  }

  private static JsonObject message(String id, String status, JsonArray content) {
    return new JsonObject()
        .put("id", id)
        .put("type", "message")
        .put("status", status)
        .put("role", "assistant")
        .put("content", content);
  }

  static JsonObject textPart(String text) {
    return new JsonObject()
        .put("type", "output_text")
        .put("text", text)
        .put("annotations", new JsonArray())
        .put("logprobs", new JsonArray());
  }

  /** {@code n}: which of the response's calls it is. */
  JsonObject call(ToolCall call, int n, boolean isComplete) {
    return new JsonObject()
        .put("id", "fc_" + key() + "_" + n)
        .put("type", "function_call")
        .put("status", isComplete ? "completed" : "in_progress")
        .put("call_id", call.id())
        .put("name", call.tool())
        .put("arguments", isComplete ? call.arguments() : "");
  }

  /** What was asked of people on the way. */
  JsonArray questions(List<String> questions) {
    JsonArray output = new JsonArray();
    for (String question : questions) {
      output.add(message(questionId(output.size()), question, true));
    }
    return output;
  }

  /** What its sender is told while an earlier message holds it up. */
  JsonArray waitsBehind(String text) {
    return new JsonArray().add(message(answerId() + "_w", text, true));
  }

  /**
   * The whole response, when its answer is there.
   *
   * @param itemId of the answer
   */
  JsonObject completed(CompletedAnswer answer, List<String> questions, String itemId, Instant now) {
    boolean isWhole = answer.isWhole();
    JsonArray output = questions(questions);
    if (!answer.text().isEmpty()) {
      output.add(message(itemId, answer.text(), isWhole));
    }
    for (int i = 0; i < answer.calls().size(); i++) {
      output.add(call(answer.calls().get(i), i, true));
    }
    JsonObject view = view(isWhole ? "completed" : "incomplete", output, usage(answer));
    if (isWhole) {
      return view.put("completed_at", now.getEpochSecond());
    }
    String reason = answer.stop() == StopReason.LENGTH ? "max_output_tokens" : "content_filter";
    return view.put("incomplete_details", new JsonObject().put("reason", reason));
  }

  /** {@code text}: what its sender is told. */
  JsonObject failed(String code, String text, List<String> questions) {
    boolean isCancelled = code.equals("CANCELLED");
    JsonObject error =
        new JsonObject()
            .put("code", isCancelled ? "cancelled" : "server_error")
            .put("message", text);
    return view(isCancelled ? "cancelled" : "failed", questions(questions), null)
        .put("error", error);
  }

  private static JsonObject usage(CompletedAnswer answer) {
    long output = answer.usage().output();
    return new JsonObject()
        .put("input_tokens", answer.inputTokens())
        .put(
            "input_tokens_details",
            new JsonObject().put("cached_tokens", answer.usage().cacheRead()))
        .put("output_tokens", output)
        .put("output_tokens_details", new JsonObject().put("reasoning_tokens", 0))
        .put("total_tokens", answer.inputTokens() + output);
  }
}
