package dev.holdfast.tests.page;

import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.RecordedModelRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An answer in the OpenAI shape that stops after its beginning until it is told to go on. */
final class PacedAnswer implements ModelScript {
  private final String beginning;
  private final String rest;
  private final CountDownLatch goOn = new CountDownLatch(1);

  PacedAnswer(String beginning, String rest) {
    this.beginning = beginning;
    this.rest = rest;
  }

  void goOn() {
    goOn.countDown();
  }

  @Override
  public void run(RecordedModelRequest request, WireExchange exchange) throws IOException {
    exchange.startStream("text/event-stream");
    exchange.chunk(
        piece(Map.of("delta", Map.of("role", "assistant", "content", beginning), "index", 0)));
    try {
      if (!goOn.await(30, TimeUnit.SECONDS)) {
        exchange.cut();
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      exchange.cut();
      return;
    }
    exchange.chunk(piece(Map.of("delta", Map.of("content", rest), "index", 0)));
    exchange.chunk(piece(Map.of("delta", Map.of(), "index", 0, "finish_reason", "stop")));
    exchange.chunk("data: [DONE]\n\n");
    exchange.endStream();
  }

  private static String piece(Map<String, Object> choice) {
    Map<String, Object> chunk =
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
            List.of(choice));
    return "data: " + Json.write(chunk) + "\n\n";
  }
}
