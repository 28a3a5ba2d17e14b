package dev.holdfast.extensions;

import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Answers what a server asks for while it works at a request. */
interface McpInputs {
  /** For requests that nobody stands behind. */
  McpInputs NONE =
      new McpInputs() {
        @Override
        public Object person() {
          return this;
        }

        @Override
        public Optional<JsonObject> elicit(JsonObject asked, CompletableFuture<?> moot) {
          return Optional.empty();
        }
      };

  /** The result of an elicitation that nobody was asked, or that nobody wants to answer. */
  static JsonObject declined() {
    return new JsonObject().put("action", "decline");
  }

  /** The result of one whose turn was stopped. */
  static JsonObject cancelled() {
    return new JsonObject().put("action", "cancel");
  }

  /** Who would be asked; two that are equal ask the same person in the same place. */
  Object person();

  /**
   * Blocks while a person is asked.
   *
   * @param asked the parameters of the elicitation
   * @param moot completes when nobody needs the answer any more
   * @return its result; empty when nobody can be asked such a thing here
   */
  Optional<JsonObject> elicit(JsonObject asked, CompletableFuture<?> moot)
      throws InterruptedException;
}
