package dev.holdfast.ingress.openai;

import dev.holdfast.api.FailureCode;
import dev.holdfast.bus.News;
import dev.holdfast.ingress.api.WebUploads;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.models.Models;
import dev.holdfast.store.Store;
import dev.holdfast.time.Time;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Which operation a request is for. */
public final class OpenAiRoutes {
  private static final String MODELS = "/v1/models";
  private static final String RESPONSES = "/v1/responses";
  private static final String CANCEL = "/cancel";

  private final OfferedModels models;
  private final ChatCompletions chat;
  private final ResponseCalls responses;

  /**
   * @param levels those whose models may be asked without the agent
   * @param budget what may be spent on them
   * @param stops ends turns
   */
  public OpenAiRoutes(
      Store store,
      News news,
      ThreadAccess access,
      MessageIntake intake,
      WebUploads uploads,
      Models asked,
      Supplier<Set<String>> levels,
      ModelAnswers.Budget budget,
      ResponseCalls.Stops stops,
      Time time) {
    models = new OfferedModels(asked, levels, time.now());
    ModelAnswers direct = new ModelAnswers(asked, budget, store.usage());
    ThreadAnswers threads = new ThreadAnswers(store, news, access, intake, uploads, time);
    chat = new ChatCompletions(models, direct, threads, time);
    responses = new ResponseCalls(models, direct, threads, stops, time);
  }

  /**
   * An operation.
   *
   * @param path its parameters
   * @param isTyped whether its events carry their types
   */
  record Route(Scope scope, Map<String, String> path, boolean isTyped, OpenAiCall call) {
    /**
     * @param error the body of an answer
     * @param number of the event, where events have numbers
     */
    String errorEvent(JsonObject error, long number) {
      if (!isTyped) {
        return "data: " + error.encode() + "\n\n";
      }
      JsonObject event =
          new JsonObject().put("type", "error").put("sequence_number", number).mergeIn(error);
      return "event: error\ndata: " + event.encode() + "\n\n";
    }
  }

  /**
   * @throws RefusedRequestException 404, or 405 when another method would do
   */
  Route find(HttpMethod method, String path) throws RefusedRequestException {
    if (path.equals(MODELS) || path.startsWith(MODELS + "/")) {
      String name = path.length() > MODELS.length() ? path.substring(MODELS.length() + 1) : "";
      return get(
          method,
          new Route(
              Scope.READ,
              Map.of("id", name),
              false,
              _ -> Optional.of(ApiAnswer.ok(name.isEmpty() ? models.list() : models.find(name)))));
    }
    if (path.equals("/v1/chat/completions")) {
      return of(method, HttpMethod.POST, new Route(Scope.CHAT, Map.of(), false, chat));
    }
    if (path.equals(RESPONSES)) {
      return of(method, HttpMethod.POST, new Route(Scope.CHAT, Map.of(), true, responses::create));
    }
    if (path.startsWith(RESPONSES + "/")) {
      return response(method, path.substring(RESPONSES.length() + 1));
    }
    throw RefusedRequestException.unknown("there is no " + path);
  }

  private Route response(HttpMethod method, String rest) throws RefusedRequestException {
    if (rest.endsWith(CANCEL)) {
      Map<String, String> path = Map.of("id", rest.substring(0, rest.length() - CANCEL.length()));
      return of(method, HttpMethod.POST, new Route(Scope.CHAT, path, true, responses::cancel));
    }
    return get(method, new Route(Scope.READ, Map.of("id", rest), true, responses::find));
  }

  private static Route get(HttpMethod method, Route route) throws RefusedRequestException {
    return of(method, HttpMethod.GET, route);
  }

  private static Route of(HttpMethod method, HttpMethod wanted, Route route)
      throws RefusedRequestException {
    if (!method.equals(wanted)) {
      throw new RefusedRequestException(
          405, FailureCode.ACTION_NOT_SUPPORTED, "method not allowed: use " + wanted.name());
    }
    return route;
  }
}
