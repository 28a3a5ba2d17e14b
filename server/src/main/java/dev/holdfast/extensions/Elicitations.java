package dev.holdfast.extensions;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The elicitations of a server that sends them as requests of its own. They do not say which call
 * they belong to: when several people may be meant, none of them is asked. Thread-safe.
 */
final class Elicitations {
  static final int OPEN_MAX = 16;

  private static final int INVALID_PARAMETERS = -32602;

  private final Supplier<List<AwaitedAnswer>> askable;
  private final Responder responder;
  private final Map<Object, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

  /** Sends a response. */
  interface Responder {
    void send(JsonObject response) throws InterruptedException;
  }

  /**
   * @param askable the requests that somebody stands behind, for whom the server works now
   */
  Elicitations(Supplier<List<AwaitedAnswer>> askable, Responder responder) {
    this.askable = askable;
    this.responder = responder;
  }

  /** Takes a request of the server. Returns at once, but for the answer to one that is refused. */
  void put(JsonObject request) throws InterruptedException {
    Object id = request.getValue("id");
    List<AwaitedAnswer> meant = askable.get();
    boolean isClear =
        meant.stream().map(answer -> answer.inputs().person()).distinct().count() == 1;
    if (!isClear
        || !(request.getValue("params") instanceof JsonObject parameters)
        || open.size() >= OPEN_MAX) {
      send(id, Optional.of(McpInputs.declined()));
      return;
    }
    CompletableFuture<Void> withdrawn = new CompletableFuture<>();
    if (open.putIfAbsent(id, withdrawn) != null) {
      return; // its id is taken: an answer would be one to the other
    }
    AwaitedAnswer.Question question =
        new AwaitedAnswer.Question(
            parameters,
            withdrawn,
            result -> {
              open.remove(id, withdrawn);
              send(id, result);
            });
    if (!meant.getFirst().ask(question)) {
      open.remove(id, withdrawn);
      send(id, Optional.of(McpInputs.declined()));
    }
  }

  /** The server does not want to know any more. */
  void withdraw(@Nullable Object id) {
    CompletableFuture<Void> withdrawn = id == null ? null : open.remove(id);
    if (withdrawn != null) {
      withdrawn.complete(null);
    }
  }

  private void send(Object id, Optional<JsonObject> result) throws InterruptedException {
    JsonObject response = new JsonObject().put("id", id);
    if (result.isPresent()) {
      response.put("result", result.get());
    } else {
      response.put(
          "error",
          new JsonObject()
              .put("code", INVALID_PARAMETERS)
              .put("message", "Only forms can be asked here"));
    }
    responder.send(response);
  }
}
