package dev.holdfast.tests.harness;

import dev.holdfast.kit.testing.WireExchange;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The two wire shapes that fake models speak. */
enum WireShape {
  OPENAI {
    @Override
    String firstPiece(String text) {
      return data(chunk(Map.of("role", "assistant", "content", text), null));
    }

    @Override
    String lastPiece() {
      return data(chunk(Map.of(), "stop"))
          + data(
              Map.of(
                  "id",
                  "c1",
                  "object",
                  "chat.completion.chunk",
                  "created",
                  1,
                  "model",
                  "gpt-test",
                  "choices",
                  List.of(),
                  "usage",
                  Map.of("prompt_tokens", 11, "completion_tokens", 7, "total_tokens", 18)))
          + "data: [DONE]\n\n";
    }

    @Override
    String whole(String text) {
      return Json.write(
          Map.of(
              "id",
              "c1",
              "object",
              "chat.completion",
              "created",
              1,
              "model",
              "gpt-test",
              "choices",
              List.of(
                  Map.of(
                      "index",
                      0,
                      "message",
                      Map.of("role", "assistant", "content", text),
                      "finish_reason",
                      "stop")),
              "usage",
              Map.of("prompt_tokens", 11, "completion_tokens", 7, "total_tokens", 18)));
    }

    @Override
    String error(String type, String message) {
      return Json.write(Map.of("error", Map.of("type", type, "message", message)));
    }

    @Override
    String errorEvent(String type, String message) {
      return "data: " + error(type, message) + "\n\n";
    }

    private Map<String, Object> chunk(Map<String, String> delta, @Nullable String finish) {
      Map<String, Object> choice = new LinkedHashMap<>();
      choice.put("index", 0);
      choice.put("delta", delta);
      if (finish != null) {
        choice.put("finish_reason", finish);
      }
      return Map.of(
          "id",
          "c1",
          "object",
          "chat.completion.chunk",
          "created",
          1,
          "model",
          "gpt-test",
          "choices",
          List.of(choice));
    }

    private String data(Object json) {
      return "data: " + Json.write(json) + "\n\n";
    }
  },
  ANTHROPIC {
    @Override
    String firstPiece(String text) {
      Map<String, Object> message =
          Map.of(
              "id",
              "m1",
              "type",
              "message",
              "role",
              "assistant",
              "model",
              "claude-test",
              "content",
              List.of(),
              "usage",
              Map.of("input_tokens", 11, "output_tokens", 1));
      return event("message_start", Map.of("message", message))
          + event(
              "content_block_start",
              Map.of("index", 0, "content_block", Map.of("type", "text", "text", "")))
          + event(
              "content_block_delta",
              Map.of("index", 0, "delta", Map.of("type", "text_delta", "text", text)));
    }

    @Override
    String lastPiece() {
      return event("content_block_stop", Map.of("index", 0))
          + event(
              "message_delta",
              Map.of(
                  "delta", Map.of("stop_reason", "end_turn"), "usage", Map.of("output_tokens", 7)))
          + event("message_stop", Map.of());
    }

    @Override
    String whole(String text) {
      return Json.write(
          Map.of(
              "id",
              "m1",
              "type",
              "message",
              "role",
              "assistant",
              "model",
              "claude-test",
              "content",
              List.of(Map.of("type", "text", "text", text)),
              "stop_reason",
              "end_turn",
              "usage",
              Map.of("input_tokens", 11, "output_tokens", 7)));
    }

    @Override
    String error(String type, String message) {
      return Json.write(Map.of("type", "error", "error", Map.of("type", type, "message", message)));
    }

    @Override
    String errorEvent(String type, String message) {
      return "event: error\ndata: " + error(type, message) + "\n\n";
    }

    private String event(String type, Map<String, Object> fields) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("type", type);
      all.putAll(fields);
      return "event: " + type + "\ndata: " + Json.write(all) + "\n\n";
    }
  };

  static WireShape of(RecordedModelRequest request) {
    return request.path().contains("/messages") ? ANTHROPIC : OPENAI;
  }

  abstract String firstPiece(String text);

  abstract String lastPiece();

  abstract String whole(String text);

  abstract String error(String type, String message);

  abstract String errorEvent(String type, String message);

  void answer(RecordedModelRequest request, String text, WireExchange exchange) throws IOException {
    if (request.wantsStream()) {
      exchange.startStream("text/event-stream");
      exchange.chunk(firstPiece(text));
      exchange.chunk(lastPiece());
      exchange.endStream();
    } else {
      exchange.respond(200, Map.of("content-type", "application/json"), whole(text));
    }
  }
}
