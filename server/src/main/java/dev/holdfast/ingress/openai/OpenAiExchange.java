package dev.holdfast.ingress.openai;

import dev.holdfast.ingress.stream.SseWriter;
import dev.holdfast.ingress.wire.ApiRequest;
import io.vertx.core.MultiMap;

/**
 * A request, and where its answer goes.
 *
 * @param headers as they came
 * @param events for an answer that is streamed
 */
record OpenAiExchange(ApiRequest request, MultiMap headers, SseWriter events) {
  /** Empty when there is none. */
  String header(String name) {
    String value = headers.get(name);
    return value == null ? "" : value;
  }
}
