package dev.holdfast.ingress.openai;

import dev.holdfast.ingress.stream.SseWriter;
import dev.holdfast.ingress.wire.ApiRequest;
import io.vertx.core.MultiMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A request, and where its answer goes.
 *
 * @param headers as they came
 * @param events for an answer that is streamed
 * @param number of the next of its events, where they have numbers
 */
record OpenAiExchange(ApiRequest request, MultiMap headers, SseWriter events, AtomicLong number) {
  /** Empty when there is none. */
  String header(String name) {
    String value = headers.get(name);
    return value == null ? "" : value;
  }
}
