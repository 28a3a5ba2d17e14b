package dev.holdfast.ingress.api;

import io.vertx.core.json.JsonObject;

/**
 * How the server is, in the shape of vertx-health-check: {@code {status: UP|DOWN, checks: [...]}}.
 * Called on an event loop: answers from memory and never blocks. Holds no secrets, ids or versions,
 * for anybody may ask.
 */
public interface Probes {
  JsonObject live();

  JsonObject ready();

  JsonObject health();
}
