package dev.holdfast.ingress.control;

import dev.holdfast.api.FailureCode;
import dev.holdfast.bus.ControlHandler;
import dev.holdfast.bus.ControlRequest;
import dev.holdfast.ingress.api.ApiCall;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.ingress.wire.StrictJson;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.Fatal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what operators' programs ask over NATS as the API would, and in its words. Who asks is
 * looked at before anything else, and only a token of scope admin is admitted. Thread-safe.
 */
public final class ControlApi implements ControlHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ControlApi.class);

  /** All wrong tokens that come by NATS count together: nobody knows who sent which. */
  private static final String WAY = "NATS";

  private static final int BODY_BYTES_MAX = 64 * 1024;
  private static final int RUNNING_MAX = 16;
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);
  private static final String REQUESTS = "holdfast.bus.control";
  private static final List<Integer> STATUSES =
      List.of(200, 400, 401, 403, 404, 413, 429, 500, 503);

  private final Map<String, ApiCall> calls;
  private final Authenticator authenticator;
  private final AnswerBudget answers;
  private final MeterRegistry meters;
  private final Semaphore running = new Semaphore(RUNNING_MAX);
  private volatile boolean isStopping;

  /** {@code calls}: those of the API, by the contract's names. */
  public ControlApi(
      Map<String, ApiCall> calls,
      Authenticator authenticator,
      AnswerBudget answers,
      MeterRegistry meters) {
    this.calls = calls;
    this.authenticator = authenticator;
    this.answers = answers;
    this.meters = meters;
    STATUSES.forEach(status -> count(status, 0)); // an alert would miss the first of a new series
  }

  /** From now on nothing is begun. */
  public void stop() {
    isStopping = true;
  }

  @Override
  public void handle(ControlRequest request, Consumer<String> reply) {
    Exchange exchange =
        new Exchange(
            Responses.correlationId(request.correlationId()),
            request.asksForAnswerElsewhere() ? _ -> {} : reply);
    try {
      begin(request, exchange);
    } catch (RefusedRequestException refused) {
      exchange.refuse(refused);
    } catch (RuntimeException | Error bug) {
      exchange.fail(bug);
    }
  }

  private void begin(ControlRequest request, Exchange exchange) throws RefusedRequestException {
    Caller caller = authenticator.admitProgram(request.authorization(), WAY);
    if (!caller.scope().covers(Scope.ADMIN)) {
      throw RefusedRequestException.forbidden();
    }
    if (request.asksForAnswerElsewhere()) {
      throw RefusedRequestException.invalid("the reply subject must be an inbox (_INBOX)");
    }
    ControlVerb verb =
        ControlVerb.named(request.verb())
            .orElseThrow(() -> RefusedRequestException.unknown("use stop, reset, mode or replay"));
    JsonObject asked = read(request.body());
    verb.check(asked, request.body().length);
    if (isStopping) {
      throw stopping();
    }
    if (!running.tryAcquire()) {
      throw new RefusedRequestException(
          503, FailureCode.OVERLOADED, "too many control requests are running", RETRY_LATER);
    }
    Thread _ = Thread.ofVirtual().name("control").start(() -> run(caller, verb, asked, exchange));
  }

  private static JsonObject read(byte[] body) throws RefusedRequestException {
    if (body.length == 0) {
      return new JsonObject();
    }
    if (body.length > BODY_BYTES_MAX) {
      throw new RefusedRequestException(
          413,
          FailureCode.INVALID_REQUEST,
          "a control request has at most " + BODY_BYTES_MAX + " bytes");
    }
    StrictJson.check(body);
    return new JsonObject(Buffer.buffer(body));
  }

  private static RefusedRequestException stopping() {
    return new RefusedRequestException(503, FailureCode.CANCELLED, "the server is stopping");
  }

  private void run(Caller caller, ControlVerb verb, JsonObject asked, Exchange exchange) {
    AnswerBudget.Booking memory = answers.open(caller.name());
    try {
      ApiCall call = calls.get(verb.operation(asked));
      if (call == null) {
        throw new IllegalStateException("no code for operation " + verb.operation(asked));
      }
      ApiAnswer answer =
          call.run(
              new ApiRequest(
                  caller,
                  exchange.correlationId(),
                  "",
                  verb.path(asked),
                  Map.of(),
                  verb.body(asked),
                  new byte[0],
                  memory));
      exchange.answer(answer.status(), answer.body(), 0);
    } catch (RefusedRequestException refused) {
      exchange.refuse(refused);
    } catch (StoreException e) {
      exchange.refuse(Refusals.ofStore(e));
    } catch (InterruptedException _) {
      exchange.refuse(stopping());
    } catch (IOException | RuntimeException | Error bug) {
      exchange.fail(bug);
    } finally {
      memory.close();
      running.release();
    }
  }

  private void count(int status, int times) {
    Counter.builder(REQUESTS)
        .description("Requests of operators over NATS, by the status of their answer.")
        .tag("status", Integer.toString(status))
        .register(meters)
        .increment(times);
  }

  /** One request, which is answered once. */
  private final class Exchange {
    private final String correlationId;
    private final Consumer<String> reply;

    Exchange(String correlationId, Consumer<String> reply) {
      this.correlationId = correlationId;
      this.reply = reply;
    }

    String correlationId() {
      return correlationId;
    }

    void refuse(RefusedRequestException why) {
      answer(why.status(), Responses.error(why, correlationId), why.retryAfterSecs());
    }

    void fail(Throwable bug) {
      Fatal.check(bug);
      LOG.error("control {}: failed unexpectedly", correlationId, bug);
      refuse(new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"));
    }

    void answer(int status, JsonObject body, long retryAfterSecs) {
      count(status, 1);
      JsonObject answer = new JsonObject().put("status", status).put("body", body);
      if (retryAfterSecs > 0) {
        answer.put("retry_after_secs", retryAfterSecs);
      }
      reply.accept(answer.encode());
    }
  }
}
