package dev.holdfast.ingress.openai;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.ingress.api.Idempotency;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.ProgramInterface;
import dev.holdfast.ingress.stream.SseWriter;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.StrictJson;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** {@code /v1} for all event loops. Thread-safe. */
public final class OpenAiApi extends ProgramInterface {
  private static final String PREFIX = "/v1/";

  private static final Duration EVENT_READ_MAX = Duration.ofSeconds(30);

  private final AnswerBudget answers;
  private final Refusals refusals;
  private final OpenAiRoutes routes;

  public OpenAiApi(
      OpenAiRoutes routes, Authenticator authenticator, AnswerBudget answers, Refusals refusals) {
    super("openai", authenticator);
    this.routes = routes;
    this.answers = answers;
    this.refusals = refusals;
  }

  @Override
  public boolean has(String path) {
    return path.startsWith(PREFIX);
  }

  @Override
  protected Exchange admit(HttpServerRequest request, Caller caller, Context loop)
      throws RefusedRequestException {
    OpenAiRoutes.Route route = routes.find(request.method(), request.path());
    if (!caller.scope().covers(route.scope())) {
      throw RefusedRequestException.forbidden();
    }
    return new Admitted(request, caller, route, loop);
  }

  private final class Admitted implements Exchange {
    private final HttpServerRequest http;
    private final Caller caller;
    private final OpenAiRoutes.Route route;
    private final Context loop;
    private final MultiMap headers;
    private final Map<String, String> query = new HashMap<>();
    private final SseWriter events;
    private final AtomicLong number = new AtomicLong();

    Admitted(HttpServerRequest http, Caller caller, OpenAiRoutes.Route route, Context loop) {
      this.http = http;
      this.caller = caller;
      this.route = route;
      this.loop = loop;
      this.headers = MultiMap.caseInsensitiveMultiMap().addAll(http.headers());
      http.params(true).forEach((name, value) -> query.putIfAbsent(name, value));
      this.events = new SseWriter(loop, http, EVENT_READ_MAX);
    }

    @Override
    public void run(byte[] body) throws RefusedRequestException, InterruptedException {
      String key = headers.get("idempotency-key");
      if (key != null) {
        Idempotency.check(key);
      }
      ApiRequest request =
          new ApiRequest(
              caller,
              Responses.correlationId(http),
              key == null ? "" : key,
              route.path(),
              query,
              json(body),
              new byte[0],
              answers.open(caller.name()));
      try {
        Optional<ApiAnswer> answer =
            route.call().run(new OpenAiExchange(request, headers, events, number));
        if (answer.isPresent()) {
          loop.runOnContext(_ -> Responses.json(http, answer.get().status(), answer.get().body()));
        } else {
          events.end();
        }
      } catch (CallFailedException failed) {
        throw OpenAiErrors.of(failed);
      }
    }

    @Override
    public void fail(RefusedRequestException why) {
      if (!events.isOpen()) {
        loop.runOnContext(_ -> refuse(http, why));
        return;
      }
      refusals.count(why.status());
      try {
        events.write(route.errorEvent(OpenAiErrors.body(why), number.get()));
      } catch (InterruptedException _) {
        // The client is gone.
      }
      events.end();
    }
  }

  private static JsonObject json(byte[] body) throws RefusedRequestException {
    if (body.length == 0) {
      return new JsonObject();
    }
    StrictJson.checkLarge(body);
    return new JsonObject(Buffer.buffer(body));
  }

  @Override
  protected void refuse(HttpServerRequest request, RefusedRequestException refused) {
    if (Responses.isOver(request)) {
      return;
    }
    refusals.count(refused.status());
    MultiMap headers = request.response().headers();
    if (refused.retryAfterSecs() > 0) {
      headers.set(Responses.RETRY_AFTER, Long.toString(refused.retryAfterSecs()));
    }
    if (refused.status() == 401) {
      headers.set("www-authenticate", "Bearer");
    }
    if (OpenAiErrors.isAccepted(refused)) {
      headers.set("x-should-retry", "false");
    }
    Responses.json(request, refused.status(), OpenAiErrors.body(refused));
  }
}
