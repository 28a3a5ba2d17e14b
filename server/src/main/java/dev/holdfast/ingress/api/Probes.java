package dev.holdfast.ingress.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * How the server is: three probes in the shape of vertx-health-check, {@code {status: UP|DOWN,
 * checks: [...]}}, and the conditions that they hold, by themselves. Called on an event loop:
 * answers from memory and never blocks. Holds no secrets, ids or versions, for anybody may ask.
 */
public interface Probes {
  JsonObject live();

  JsonObject ready();

  JsonObject health();

  /** All that is not well now, sorted by type; see {@code Condition} in openapi.yaml. */
  JsonArray conditions();
}
