package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.ingress.wire.StrictJson;
import dev.holdfast.ingress.wire.Uploads;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.Fatal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.ext.web.openapi.router.OpenAPIRoute;
import io.vertx.ext.web.openapi.router.RouterBuilder;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.validation.ValidatableRequest;
import io.vertx.openapi.validation.ValidatedRequest;
import io.vertx.openapi.validation.ValidatorException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /api/v1}: who asks, what the contract allows, then the operation on a virtual thread. One
 * instance per event loop.
 */
final class ApiRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(ApiRoutes.class);
  private static final String CALLER = "caller";

  /** What the contract looks at: JSON, or nothing. */
  private static final String BODY = "body";

  /** What came, whatever it is. */
  private static final String RAW = "raw";

  /** Which operation was asked for. */
  private static final String OPERATION = "operation";

  /** To check a larger body takes longer than an event loop may be held up. */
  private static final int CHECKED_AT_ONCE_BYTES = 16 * 1024;

  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  /** When an answer says no more exact time. */
  private static final String RETRY_AFTER_SECS = Long.toString(RETRY_LATER.toSeconds());

  /**
   * What an operation shows of conversations: nothing; only what belongs to those that the caller
   * may see; one that it names, 404 to others; all of them, to operators.
   */
  private static final Set<String> DECISIONS = Set.of("none", "filtered", "named", "operators");

  /**
   * What an answer takes of memory: little; much, so that it is booked before the call; much, and
   * the call books it when it knows.
   */
  private static final Set<String> SIZES = Set.of("small", "large", "late");

  private static final String KEY = "idempotency-key";
  private static final int[] FAILURES = {400, 401, 403, 404, 405, 406, 413, 415, 500, 501};

  private final Vertx vertx;
  private final BodyProblems problems;
  private final Map<String, ApiCall> calls;
  private final Authenticator authenticator;
  private final EventStreams streams;
  private final Idempotency idempotency;
  private final AnswerBudget answers;
  private final Refusals refusals;

  /** {@code calls}: has an entry for each operation of the contract but the stream. */
  ApiRoutes(
      Vertx vertx,
      BodyProblems problems,
      Map<String, ApiCall> calls,
      Authenticator authenticator,
      EventStreams streams,
      Idempotency idempotency,
      AnswerBudget answers,
      Refusals refusals) {
    this.vertx = vertx;
    this.problems = problems;
    this.calls = calls;
    this.authenticator = authenticator;
    this.streams = streams;
    this.idempotency = idempotency;
    this.answers = answers;
    this.refusals = refusals;
  }

  Router router(OpenAPIContract contract) {
    RouterBuilder builder = RouterBuilder.create(vertx, contract, this::extract);
    builder.rootHandler(this::enter);
    for (Operation operation : contract.operations()) {
      OpenAPIRoute route = builder.getRoute(operation.getOperationId());
      route.setDoSecurity(false); // enter does it, for unknown paths too
      route.addFailureHandler(this::notAllowed);
      checkDecided(operation);
      if (operation.getOperationId().equals(EventStreams.OPERATION)) {
        Scope needed = scope(operation);
        route.addHandler(context -> openStream(context, needed));
      } else {
        ApiCall call = calls.get(operation.getOperationId());
        if (call == null) {
          throw new IllegalStateException("no code for operation " + operation.getOperationId());
        }
        ApiCall bounded = size(operation).equals("large") ? ApiRoutes.large(call) : call;
        Idempotency.Effect effect = effect(operation);
        route.addHandler(context -> run(context, bounded, effect));
      }
    }
    Router router = builder.createRouter();
    for (int status : FAILURES) {
      router.errorHandler(status, this::failed);
    }
    return router;
  }

  private static Scope scope(Operation operation) {
    String named = operation.getOpenAPIModel().getString("x-scope");
    return Scope.valueOf(named.toUpperCase(Locale.ROOT));
  }

  private static Idempotency.Effect effect(Operation operation) {
    return switch (operation.getOperationId()) {
      case "chat", "postMessage" -> Idempotency.Effect.MESSAGE;
      case "createLoginLink" -> Idempotency.Effect.SECRET;
      default -> Idempotency.Effect.ONCE;
    };
  }

  private static String size(Operation operation) {
    String size = operation.getOpenAPIModel().getString("x-answer", "");
    if (!SIZES.contains(size)) {
      throw new IllegalStateException(
          operation.getOperationId() + " has no x-answer, one of " + SIZES);
    }
    return size;
  }

  private static ApiCall large(ApiCall call) {
    return request -> {
      AnswerBudget.Grant grant = request.memory().take();
      if (grant != AnswerBudget.Grant.GRANTED) {
        throw noMemory(grant == AnswerBudget.Grant.SHARE_IS_USED);
      }
      return call.run(request);
    };
  }

  private static RefusedRequestException noMemory(boolean isShare) {
    return isShare
        ? new RefusedRequestException(
            429,
            FailureCode.RATE_LIMITED,
            "this token's share of the memory for answers is in use; ask again",
            RETRY_LATER)
        : new RefusedRequestException(
            503,
            FailureCode.OVERLOADED,
            "the memory for answers is in use; ask again",
            RETRY_LATER);
  }

  /** Nobody adds an operation without deciding what strangers to a conversation see of it. */
  private static void checkDecided(Operation operation) {
    String decided = operation.getOpenAPIModel().getString("x-threads", "");
    if (!DECISIONS.contains(decided)) {
      throw new IllegalStateException(
          operation.getOperationId() + " has no x-threads, one of " + DECISIONS);
    }
  }

  private void enter(RoutingContext context) {
    HttpServerRequest request = context.request();
    try {
      Caller caller = authenticator.admit(request);
      boolean reads =
          request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
      // The router has found that an Origin, if there is one, is ours; a browser always sends one
      // with a change.
      if (caller.byCookie() && !reads && !request.headers().contains(HttpHeaders.ORIGIN)) {
        throw RefusedRequestException.forbidden();
      }
      context.put(CALLER, caller);
      ConnectionLimits.belongsTo(request, caller.name());
    } catch (RefusedRequestException refused) {
      refusals.send(request, refused);
      return;
    }
    context.put(BODY, Buffer.buffer());
    context.put(RAW, new byte[0]);
    if (!BodyReader.announced(request)) {
      context.next();
      return;
    }
    BodyReader.read(
        request,
        new BodyReader.Reader() {
          @Override
          public void onBody(byte[] body) {
            onRead(context, body);
          }

          @Override
          public void onGone() {
            // Nobody waits for an answer.
          }
        });
  }

  private void onRead(RoutingContext context, byte[] body) {
    context.put(RAW, body);
    if (body.length == 0 || Uploads.isOne(context.request())) {
      context.next();
    } else if (body.length <= CHECKED_AT_ONCE_BYTES) {
      try {
        StrictJson.check(body);
        believed(context, body);
      } catch (RefusedRequestException refused) {
        refusals.send(context.request(), refused);
      }
    } else {
      vertx
          .executeBlocking(
              () -> {
                StrictJson.check(body);
                return body;
              },
              false)
          .onSuccess(checked -> believed(context, checked))
          .onFailure(why -> refusals.send(context.request(), why));
    }
  }

  private static void believed(RoutingContext context, byte[] body) {
    context.put(BODY, Buffer.buffer(body));
    context.next();
  }

  /** Who may not call the operation does not learn either what it would take. */
  private Future<ValidatableRequest> extract(RoutingContext context, Operation operation) {
    Caller caller = context.get(CALLER);
    if (!caller.scope().covers(scope(operation))) {
      return Future.failedFuture(RefusedRequestException.forbidden());
    }
    context.put(OPERATION, operation.getOperationId());
    Buffer body = context.get(BODY);
    return Future.succeededFuture(ContractRequest.of(context, operation, body));
  }

  private void openStream(RoutingContext context, Scope needed) {
    try {
      streams.open(context.request(), context.get(CALLER), needed);
    } catch (RefusedRequestException refused) {
      refusals.send(context.request(), refused);
    }
  }

  private void run(RoutingContext context, ApiCall call, Idempotency.Effect effect) {
    HttpServerRequest request = context.request();
    try {
      Caller caller = context.get(CALLER);
      String key = request.method().equals(HttpMethod.POST) ? request.getHeader(KEY) : null;
      if (key == null) {
        start(context, apiRequest(context, caller, ""), call);
      } else {
        Idempotency.check(key);
        ApiRequest api = apiRequest(context, caller, key);
        start(context, api, once(call, effect, request));
      }
    } catch (RefusedRequestException refused) {
      refusals.send(request, refused);
    }
  }

  /** The same call, made once for each key; a refusal counts as its answer too. */
  private ApiCall once(ApiCall call, Idempotency.Effect effect, HttpServerRequest request) {
    String query = request.query() == null ? "" : request.query();
    return api -> {
      Idempotency.Keyed keyed =
          Idempotency.Keyed.of(
              api.caller().name(), request.path(), api.idempotencyKey(), query, api.raw(), effect);
      Optional<Idempotency.Kept> before = idempotency.begin(keyed);
      if (before.isPresent()) {
        return new ApiAnswer(before.get().status(), new JsonObject(before.get().body()));
      }
      ApiAnswer answer = answer(api, call, request);
      idempotency.end(keyed, answer.status(), answer.body().encode());
      return answer;
    };
  }

  private ApiRequest apiRequest(RoutingContext context, Caller caller, String key) {
    ValidatedRequest validated = context.get(RouterBuilder.KEY_META_DATA_VALIDATED_REQUEST);
    JsonObject body = validated.getBody() == null ? null : validated.getBody().getJsonObject();
    Map<String, String> query = new HashMap<>();
    context.request().params(true).forEach((name, value) -> query.putIfAbsent(name, value));
    return new ApiRequest(
        caller,
        Responses.correlationId(context.request()),
        key,
        context.pathParams(),
        query,
        body == null ? new JsonObject() : body,
        context.get(RAW),
        answers.open(caller.name()));
  }

  private void start(RoutingContext context, ApiRequest api, ApiCall call) {
    Context loop = vertx.getOrCreateContext();
    HttpServerRequest request = context.request();
    Thread.ofVirtual()
        .name("api")
        .start(
            () -> {
              AnswerBudget.Booking memory = api.memory();
              boolean isLeaving = false;
              try {
                ApiAnswer answer = answer(api, call, request);
                isLeaving = send(answer, request, loop, memory);
              } finally {
                if (!isLeaving) {
                  memory.close();
                }
              }
            });
  }

  /** Returns whether it is on its way; then the memory is free once it has been written. */
  private boolean send(
      ApiAnswer answer, HttpServerRequest request, Context loop, AnswerBudget.Booking memory) {
    ApiAnswer.Served file = answer.file();
    if (file != null) {
      loop.runOnContext(_ -> Responses.file(request, file));
      return false;
    }
    Buffer body = answer.content();
    if (answer.status() == 503 && !request.response().headers().contains(Responses.RETRY_AFTER)) {
      request.response().putHeader(Responses.RETRY_AFTER, RETRY_AFTER_SECS);
    }
    memory.leaves(body.length(), () -> loop.runOnContext(_ -> ConnectionLimits.cut(request)));
    loop.runOnContext(_ -> respond(request, answer, body).onComplete(_ -> memory.close()));
    return true;
  }

  private static Future<Void> respond(HttpServerRequest request, ApiAnswer answer, Buffer body) {
    ApiAnswer.Document document = answer.document();
    return document == null
        ? Responses.json(request, answer.status(), body)
        : Responses.document(request, document, body);
  }

  private ApiAnswer answer(ApiRequest api, ApiCall call, HttpServerRequest request) {
    try {
      return call.run(api);
    } catch (RefusedRequestException refused) {
      return refusal(refused, api, request);
    } catch (StoreException e) {
      return refusal(Refusals.ofStore(e), api, request);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return refusal(
          new RefusedRequestException(503, FailureCode.CANCELLED, "the server is stopping"),
          api,
          request);
    } catch (java.io.IOException | RuntimeException | Error e) {
      Fatal.check(e);
      LOG.error("api {}: failed unexpectedly", api.correlationId(), e);
      return refusal(
          new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"), api, request);
    }
  }

  private ApiAnswer refusal(
      RefusedRequestException refused, ApiRequest api, HttpServerRequest request) {
    refusals.count(refused.status());
    if (refused.retryAfterSecs() > 0) {
      request.response().putHeader(Responses.RETRY_AFTER, Long.toString(refused.retryAfterSecs()));
    }
    return new ApiAnswer(refused.status(), Responses.error(refused, api.correlationId()));
  }

  private void failed(RoutingContext context) {
    Throwable why = context.failure();
    int status = context.statusCode();
    if (status != 500) {
      FailureCode code =
          switch (status) {
            case 404 -> FailureCode.ACTOR_NOT_FOUND;
            case 405 -> FailureCode.ACTION_NOT_SUPPORTED;
            default -> FailureCode.INVALID_REQUEST;
          };
      why = new RefusedRequestException(status, code, STATUS_WORDS.getOrDefault(status, "refused"));
    } else if (why == null) {
      why = new IllegalStateException("a request failed without a reason");
    }
    refusals.send(context.request(), why);
  }

  /** What the contract does not allow; all other failures are not its own. */
  private void notAllowed(RoutingContext context) {
    Throwable why = context.failure();
    Throwable cause = why instanceof HttpException http ? http.getCause() : why;
    if (cause instanceof ValidatorException invalid) {
      refuse(context, invalid);
    } else {
      context.next();
    }
  }

  /** Says all that is wrong with the body; what is wrong elsewhere, as the validator says it. */
  private void refuse(RoutingContext context, ValidatorException invalid) {
    String operation = context.get(OPERATION);
    Buffer body = context.get(BODY);
    vertx
        .executeBlocking(() -> problems.of(operation, body), false)
        .onSuccess(found -> refusals.send(context.request(), refusal(found, invalid)))
        .onFailure(why -> refusals.send(context.request(), why));
  }

  private static RefusedRequestException refusal(List<String> found, ValidatorException invalid) {
    return found.isEmpty()
        ? RefusedRequestException.invalid(said(invalid))
        : RefusedRequestException.invalid(found);
  }

  private static final Map<Integer, String> STATUS_WORDS =
      Map.of(404, "not found", 405, "method not allowed", 415, "unsupported media type");

  private static String said(ValidatorException invalid) {
    String message = String.valueOf(invalid.getMessage());
    return message.length() > 300 ? message.substring(0, 300) : message;
  }
}
