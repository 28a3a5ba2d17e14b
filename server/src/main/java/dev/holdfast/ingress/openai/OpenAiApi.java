package dev.holdfast.ingress.openai;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.api.Idempotency;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.stream.SseWriter;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HttpInterface;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.StrictJson;
import dev.holdfast.supervision.Fatal;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1} for all event loops. Thread-safe. */
public final class OpenAiApi implements HttpInterface {
  private static final String PREFIX = "/v1/";

  private static final Logger LOG = LoggerFactory.getLogger(OpenAiApi.class);
  private static final Duration EVENT_READ_MAX = Duration.ofSeconds(30);
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);
  private static final int RUNNING_MAX = 1000;

  private final Authenticator authenticator;
  private final AnswerBudget answers;
  private final Refusals refusals;
  private final OpenAiRoutes routes;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  public OpenAiApi(
      OpenAiRoutes routes, Authenticator authenticator, AnswerBudget answers, Refusals refusals) {
    this.routes = routes;
    this.authenticator = authenticator;
    this.answers = answers;
    this.refusals = refusals;
  }

  @Override
  public boolean has(String path) {
    return path.startsWith(PREFIX);
  }

  @Override
  public Handler<HttpServerRequest> handler(Vertx vertx) {
    return request -> {
      try {
        Caller caller = authenticator.admitProgram(request);
        ConnectionLimits.belongsTo(request, caller.name());
        OpenAiRoutes.Route route = routes.find(request.method(), request.path());
        if (!caller.scope().covers(route.scope())) {
          throw RefusedRequestException.forbidden();
        }
        BodyReader.read(request, body -> start(vertx, request, caller, route, body));
      } catch (RefusedRequestException refused) {
        refuse(request, refused);
      }
    };
  }

  private void start(
      Vertx vertx,
      HttpServerRequest request,
      Caller caller,
      OpenAiRoutes.Route route,
      byte[] body) {
    if (running.size() >= RUNNING_MAX) {
      refuse(
          request,
          new RefusedRequestException(
              503, FailureCode.OVERLOADED, "too many requests are running", RETRY_LATER));
      return;
    }
    Context loop = vertx.getOrCreateContext();
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().addAll(request.headers());
    Map<String, String> query = new HashMap<>();
    request.params(true).forEach((name, value) -> query.putIfAbsent(name, value));
    SseWriter events = new SseWriter(loop, request, EVENT_READ_MAX);
    Thread worker =
        Thread.ofVirtual()
            .name("openai")
            .unstarted(
                () -> {
                  try {
                    run(request, caller, route, body, headers, query, events, loop);
                  } finally {
                    running.remove(Thread.currentThread());
                  }
                });
    request.response().closeHandler(_ -> worker.interrupt());
    running.add(worker);
    worker.start();
  }

  private void run(
      HttpServerRequest http,
      Caller caller,
      OpenAiRoutes.Route route,
      byte[] body,
      MultiMap headers,
      Map<String, String> query,
      SseWriter events,
      Context loop) {
    try {
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
              body,
              answers.open(caller.name()));
      Optional<ApiAnswer> answer = route.call().run(new OpenAiExchange(request, headers, events));
      if (answer.isPresent()) {
        loop.runOnContext(_ -> Responses.json(http, answer.get().status(), answer.get().body()));
      } else {
        events.end();
      }
    } catch (RefusedRequestException refused) {
      fail(http, refused, route, events, loop);
    } catch (CallFailedException failed) {
      fail(http, OpenAiErrors.of(failed), route, events, loop);
    } catch (InterruptedException _) {
      if (isClosed) {
        fail(
            http,
            new RefusedRequestException(503, FailureCode.CANCELLED, "the server is stopping"),
            route,
            events,
            loop);
      } else {
        events.end(); // the client is gone, or too slow
      }
    } catch (RuntimeException | Error e) {
      Fatal.check(e);
      LOG.error("openai: a request failed unexpectedly", e);
      fail(
          http,
          new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"),
          route,
          events,
          loop);
    }
  }

  private static JsonObject json(byte[] body) throws RefusedRequestException {
    if (body.length == 0) {
      return new JsonObject();
    }
    StrictJson.checkLarge(body);
    return new JsonObject(Buffer.buffer(body));
  }

  private void fail(
      HttpServerRequest http,
      RefusedRequestException refused,
      OpenAiRoutes.Route route,
      SseWriter events,
      Context loop) {
    if (!events.isOpen()) {
      loop.runOnContext(_ -> refuse(http, refused));
      return;
    }
    refusals.count(refused.status());
    try {
      events.write(route.errorEvent(OpenAiErrors.body(refused)));
    } catch (InterruptedException _) {
      // The client is gone.
    }
    events.end();
  }

  /** On the request's event loop. */
  private void refuse(HttpServerRequest request, RefusedRequestException refused) {
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

  @Override
  public void close() {
    isClosed = true;
    running.forEach(Thread::interrupt);
  }
}
