package dev.holdfast.models;

import static dev.holdfast.models.ProviderDouble.sse;

/** Whole answers in the shape of each provider: the text "Hello you", 12 tokens in and 3 out. */
final class ModelStreams {
  static final String SSE = "text/event-stream";
  static final String NDJSON = "application/x-ndjson";

  private ModelStreams() {}

  static String type(String provider) {
    return provider.equals("ollama") ? NDJSON : SSE;
  }

  static String hello(String provider) {
    return switch (provider) {
      case "anthropic", "minimax" -> anthropicBegun() + anthropicEnd("end_turn");
      case "openai" ->
          openAiBegun()
              + sse(
                  "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}",
                  "{\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}",
                  "[DONE]");
      case "gemini" ->
          geminiBegun()
              + sse(
                  "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\""
                      + " you\"}]},"
                      + "\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":12,\"candidatesTokenCount\":2,"
                      + "\"thoughtsTokenCount\":1}}");
      case "ollama" ->
          ollamaBegun()
              + "{\"model\":\"m1\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":12,\"eval_count\":3}\n";
      default -> throw new IllegalArgumentException(provider);
    };
  }

  /** The same without its end. */
  static String begun(String provider) {
    return switch (provider) {
      case "anthropic", "minimax" -> anthropicBegun();
      case "openai" -> openAiBegun();
      case "gemini" -> geminiBegun();
      case "ollama" -> ollamaBegun();
      default -> throw new IllegalArgumentException(provider);
    };
  }

  static String anthropicBegun() {
    return sse(
        "message_start|{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"role\":\"assistant\",\"content\":[],"
            + "\"model\":\"m1\",\"usage\":{\"input_tokens\":12,\"output_tokens\":1}}}",
        "content_block_start|{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
        "ping|{\"type\":\"ping\"}",
        "content_block_delta|{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}",
        "content_block_delta|{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
            + " you\"}}",
        "content_block_stop|{\"type\":\"content_block_stop\",\"index\":0}");
  }

  static String anthropicEnd(String reason) {
    return sse(
        "message_delta|{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\""
            + reason
            + "\"},\"usage\":{\"output_tokens\":3}}",
        "message_stop|{\"type\":\"message_stop\"}");
  }

  private static String openAiBegun() {
    return sse(
        "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello\"},\"finish_reason\":null}]}",
        "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
            + " you\"},\"finish_reason\":null}]}");
  }

  private static String geminiBegun() {
    return sse(
        "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Thinking...\",\"thought\":true}]}}]}",
        "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hello\"}]}}]}");
  }

  private static String ollamaBegun() {
    return """
    {"model":"m1","message":{"role":"assistant","content":"Hello"},"done":false}
    {"model":"m1","message":{"role":"assistant","content":" you"},"done":false}
    """;
  }
}
