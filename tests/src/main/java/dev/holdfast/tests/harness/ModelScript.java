package dev.holdfast.tests.harness;

import dev.holdfast.kit.testing.WireExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What a fake model does with one request, in the shape that the request asks for. */
@FunctionalInterface
public interface ModelScript {
  void run(RecordedModelRequest request, WireExchange exchange) throws IOException;

  /** Answers with what the function makes of the person's last words. */
  static ModelScript answer(UnaryOperator<String> text) {
    return (request, exchange) ->
        WireShape.of(request).answer(request, text.apply(request.lastText()), exchange);
  }

  /** Answers "answer to ..." with the person's last words in it. */
  static ModelScript echo() {
    return answer(text -> "answer to " + text);
  }

  /** Thinks first. */
  static ModelScript after(Duration wait, ModelScript next) {
    return (request, exchange) -> {
      Await.pause(wait);
      next.run(request, exchange);
    };
  }

  /** An error in the provider's own shape. */
  static ModelScript status(int status, Map<String, String> headers, String type, String message) {
    return (request, exchange) -> {
      Map<String, String> all = new LinkedHashMap<>(headers);
      all.put("content-type", "application/json");
      exchange.respond(status, all, WireShape.of(request).error(type, message));
    };
  }

  static ModelScript unavailable() {
    return status(503, Map.of(), "server_error", "the service is away");
  }

  static ModelScript hang() {
    return (_, exchange) -> exchange.hang(Duration.ofMinutes(10));
  }

  /** Sends the head of the stream and half the text, then closes. */
  static ModelScript cutStream() {
    return (request, exchange) -> {
      exchange.startStream("text/event-stream");
      exchange.chunk(WireShape.of(request).firstPiece("PARTIAL-TEXT-OF-A-CUT-STREAM "));
      exchange.cut();
    };
  }

  /** Sends the head of the stream and half the text, then nothing. */
  static ModelScript stallStream() {
    return (request, exchange) -> {
      exchange.startStream("text/event-stream");
      exchange.chunk(WireShape.of(request).firstPiece("PARTIAL-TEXT-OF-A-CUT-STREAM "));
      exchange.hang(Duration.ofMinutes(10));
    };
  }

  /** Sends half the text, then an error event, all under status 200. */
  static ModelScript errorInStream() {
    return (request, exchange) -> {
      WireShape shape = WireShape.of(request);
      exchange.startStream("text/event-stream");
      exchange.chunk(shape.firstPiece("PARTIAL-TEXT-OF-A-CUT-STREAM "));
      exchange.chunk(shape.errorEvent("overloaded_error", "Overloaded"));
      exchange.endStream();
    };
  }

  static ModelScript garbage(String contentType, String body) {
    return (_, exchange) -> exchange.respond(200, Map.of("content-type", contentType), body);
  }

  static ModelScript reset() {
    return (_, exchange) -> exchange.reset();
  }
}
