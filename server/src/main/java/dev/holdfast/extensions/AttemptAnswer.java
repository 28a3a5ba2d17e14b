package dev.holdfast.extensions;

import dev.holdfast.api.Failure;
import io.vertx.core.json.JsonObject;

/** How an attempt at an action has ended. */
public sealed interface AttemptAnswer {
  /**
   * @param output a JSON value of an action and of a tool with structured results, else a text;
   *     without secrets
   */
  record Done(String output) implements AttemptAnswer {}

  /**
   * @param request what the action wants to know of a person before it goes on: the data of its
   *     answer, without secrets
   */
  record Asks(JsonObject request) implements AttemptAnswer {}

  /**
   * @param failure without secrets
   * @param settled whether nothing is in doubt: the extension itself has said that it failed, or
   *     was never asked. Otherwise the work may have been done
   */
  record Failed(Failure failure, boolean settled) implements AttemptAnswer {}
}
