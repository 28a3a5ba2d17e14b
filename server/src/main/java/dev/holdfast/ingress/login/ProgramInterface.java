package dev.holdfast.ingress.login;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.ConnectionLimits;
import dev.holdfast.ingress.wire.HttpInterface;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.supervision.Fatal;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A protocol for programs that hold a token: each request is admitted, read whole and answered by
 * plain blocking code on a virtual thread of its own. Thread-safe.
 */
public abstract class ProgramInterface implements HttpInterface {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramInterface.class);
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  /** How often it is looked whether a token is still one. */
  private static final Duration RECHECK = Duration.ofSeconds(4);

  private static final int RUNNING_MAX = 1000;

  private final String name;
  private final Authenticator authenticator;
  private final Duration recheck;
  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  /** {@code name}: of its threads, and in the log. */
  protected ProgramInterface(String name, Authenticator authenticator) {
    this(name, authenticator, RECHECK);
  }

  /** {@code recheck}: a request ends at most so long after its token does. */
  protected ProgramInterface(String name, Authenticator authenticator, Duration recheck) {
    this.name = name;
    this.authenticator = authenticator;
    this.recheck = recheck;
  }

  /** One request whose sender is known. Of one virtual thread. */
  protected interface Exchange {
    /**
     * Answers it; blocks. It is interrupted when the client is gone, its token is no longer one or
     * the server stops.
     *
     * @param body as it came
     */
    void run(byte[] body) throws RefusedRequestException, InterruptedException;

    /** Answers it with an error, whatever was written before. */
    void fail(RefusedRequestException why);
  }

  /**
   * On the request's event loop, before its body is read.
   *
   * @param loop the request's own
   * @throws RefusedRequestException when this caller may not ask for it, or there is no such thing
   */
  protected abstract Exchange admit(HttpServerRequest request, Caller caller, Context loop)
      throws RefusedRequestException;

  /** Answers a request that was not admitted, on its event loop. */
  protected abstract void refuse(HttpServerRequest request, RefusedRequestException why);

  @Override
  public final Handler<HttpServerRequest> handler(Vertx vertx) {
    return request -> {
      try {
        Caller caller = authenticator.admitProgram(request);
        ConnectionLimits.belongsTo(request, caller.name());
        Context loop = vertx.getOrCreateContext();
        Exchange exchange = admit(request, caller, loop);
        BodyReader.read(request, body -> start(vertx, request, caller, exchange, body));
      } catch (RefusedRequestException refused) {
        refuse(request, refused);
      }
    };
  }

  private void start(
      Vertx vertx, HttpServerRequest request, Caller caller, Exchange exchange, byte[] body) {
    if (running.size() >= RUNNING_MAX) {
      refuse(
          request,
          new RefusedRequestException(
              503, FailureCode.OVERLOADED, "too many requests are running", RETRY_LATER));
      return;
    }
    Running run = new Running(vertx, request, caller, exchange, body);
    request.response().closeHandler(_ -> run.worker.interrupt());
    running.add(run.worker);
    run.worker.start();
  }

  private final class Running {
    private final HttpServerRequest request;
    private final Caller caller;
    private final Exchange exchange;
    private final Context loop;

    /** Given away, not held: an answer may take minutes. */
    private final AtomicReference<byte[]> body;

    private final Thread worker = Thread.ofVirtual().name(name).unstarted(this::run);
    private volatile boolean isRevoked;

    Running(Vertx vertx, HttpServerRequest request, Caller caller, Exchange exchange, byte[] body) {
      this.request = request;
      this.caller = caller;
      this.exchange = exchange;
      this.loop = vertx.getOrCreateContext();
      this.body = new AtomicReference<>(body);
    }

    private void run() {
      Vertx vertx = loop.owner();
      long timer = vertx.setPeriodic(recheck.toMillis(), _ -> loop.runOnContext(_ -> recheck()));
      try {
        exchange.run(body.getAndSet(new byte[0]));
      } catch (RefusedRequestException refused) {
        exchange.fail(refused);
      } catch (InterruptedException _) {
        interrupted();
      } catch (RuntimeException | Error e) {
        Fatal.check(e);
        LOG.error("{}: a request failed unexpectedly", name, e);
        exchange.fail(new RefusedRequestException(500, FailureCode.INTERNAL, "internal error"));
      } finally {
        vertx.cancelTimer(timer);
        running.remove(worker);
      }
    }

    private void recheck() {
      if (!authenticator.stillAdmits(request, caller, caller.scope())) {
        isRevoked = true;
        worker.interrupt();
      }
    }

    private void interrupted() {
      if (isClosed) {
        exchange.fail(
            new RefusedRequestException(503, FailureCode.CANCELLED, "the server is stopping"));
      } else if (isRevoked) {
        exchange.fail(RefusedRequestException.unauthorized());
      } else {
        loop.runOnContext(_ -> cut(request));
      }
    }
  }

  /** A client that is still there does not read: it must not take what it has for the whole. */
  private static void cut(HttpServerRequest request) {
    if (!Responses.isOver(request)) {
      var _ = request.response().reset();
    }
  }

  @Override
  public final void close() {
    isClosed = true;
    running.forEach(Thread::interrupt);
  }
}
