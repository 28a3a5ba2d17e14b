package dev.holdfast.ingress;

import io.vertx.core.json.JsonObject;

/** What an operation of the API answers. */
record ApiAnswer(int status, JsonObject body) {
  static ApiAnswer ok(JsonObject body) {
    return new ApiAnswer(200, body);
  }
}
