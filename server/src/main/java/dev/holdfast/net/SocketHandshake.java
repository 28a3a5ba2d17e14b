package dev.holdfast.net;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginSocket.Request;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.time.Standstill;
import dev.holdfast.time.Time;
import dev.holdfast.time.TimeLimit;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.internal.http.WebSocketInternal;
import io.vertx.core.net.TrustOptions;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Opens one WebSocket: an event loop on one side, one blocked thread on the other. It has a client
 * of Vert.x of its own, whose limits are those of the request, and which is closed with it: that
 * ends an attempt that is given up.
 */
final class SocketHandshake {
  /** More than the client waits for a connection by itself, so that it is never the first. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  /** Messages of the protocol itself may have so many bytes, however short the others must be. */
  private static final int CONTROL_BYTES_MAX = 125;

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int TIMEOUT = 408;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY = 429;

  private final Vertx vertx;
  private final Time time;
  private final Context loop;
  private final @Nullable TrustOptions trust;
  private final Request request;
  private final URI address;
  private final Runnable onGone;
  private final CompletableFuture<ClientSocket> opened = new CompletableFuture<>();

  /** Belongs to the loop; kept, as a client that nobody holds is closed with its sockets. */
  private @Nullable WebSocketClient client;

  private SocketHandshake(
      Vertx vertx,
      Time time,
      Context loop,
      @Nullable TrustOptions trust,
      Request request,
      URI address,
      Runnable onGone) {
    this.vertx = vertx;
    this.time = time;
    this.loop = loop;
    this.trust = trust;
    this.request = request;
    this.address = address;
    this.onGone = onGone;
  }

  /**
   * Blocks until the handshake is done.
   *
   * @param onGone runs once, when nothing is left of the connection or of the attempt to make it;
   *     must not block
   */
  static ClientSocket open(
      Vertx vertx,
      Time time,
      Context loop,
      @Nullable TrustOptions trust,
      Request request,
      Runnable onGone)
      throws HttpFailedException, InterruptedException {
    WebSocketConnectOptions options;
    URI address;
    try {
      address = HttpCaller.address(request.url(), "ws", "wss");
      options = options(address, request.headers());
    } catch (HttpFailedException e) {
      onGone.run();
      throw e;
    }
    return new SocketHandshake(vertx, time, loop, trust, request, address, onGone).open(options);
  }

  private static WebSocketConnectOptions options(URI address, Map<String, String> headers)
      throws HttpFailedException {
    boolean isSecure = "wss".equalsIgnoreCase(address.getScheme());
    String path = address.getRawPath().isEmpty() ? "/" : address.getRawPath();
    WebSocketConnectOptions options = new WebSocketConnectOptions();
    options
        .setHost(address.getHost())
        .setPort(address.getPort() < 0 ? (isSecure ? 443 : 80) : address.getPort())
        .setSsl(isSecure)
        .setURI(address.getRawQuery() == null ? path : path + "?" + address.getRawQuery());
    try {
      for (Map.Entry<String, String> header : headers.entrySet()) {
        if (header.getKey().toLowerCase(Locale.ROOT).startsWith("sec-websocket-")) {
          throw new IllegalArgumentException(header.getKey()); // the handshake's own
        }
        HttpCaller.putHeader(options, header.getKey(), header.getValue());
      }
    } catch (IllegalArgumentException _) {
      throw HttpCaller.unusable("the socket cannot be opened: a header is not valid");
    }
    return options.setAllowOriginHeader(
        headers.keySet().stream().anyMatch("origin"::equalsIgnoreCase)); // it is for browsers
  }

  private ClientSocket open(WebSocketConnectOptions options)
      throws HttpFailedException, InterruptedException {
    Failure late =
        Failure.of(
            FailureCode.TIMEOUT,
            target()
                + " did not finish the handshake within "
                + request.connectTimeout().toMillis()
                + " ms");
    try (TimeLimit _ =
        TimeLimit.start(
            time,
            request.connectTimeout(),
            _ -> Standstill.CATCH_UP,
            () -> giveUp(new HttpFailedException(late, false)))) {
      loop.runOnContext(_ -> connect(options));
      return opened.get();
    } catch (InterruptedException e) {
      giveUp(
          new HttpFailedException(
              Failure.of(FailureCode.CANCELLED, "the handshake was given up"), false));
      CompletableFuture<Void> _ =
          opened.thenAccept(ClientSocket::abort); // it was done in the same moment
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof HttpFailedException failed) {
        throw new HttpFailedException(failed.failure(), failed.surelyNotSent(), failed);
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private String target() {
    return HttpCaller.hostAndPort(address);
  }

  private void connect(WebSocketConnectOptions options) {
    WebSocketClientOptions limits =
        new WebSocketClientOptions()
            .setVerifyHost(true)
            .setTryUsePerMessageCompression(false)
            .setTryUsePerFrameCompression(false)
            .setMaxFrameSize(Math.max(CONTROL_BYTES_MAX, request.messageBytesMax()))
            .setClosingTimeout(Math.toIntExact(ClientSocket.CLOSE_MAX.toSeconds()));
    limits.setConnectTimeout(Math.toIntExact(request.connectTimeout().plus(SLACK).toMillis()));
    if (trust != null) {
      limits.setTrustOptions(trust);
    }
    WebSocketClient made = vertx.createWebSocketClient(limits);
    client = made;
    made.connect(options)
        .onComplete(
            this::connected,
            cause -> {
              opened.completeExceptionally(refused(cause));
              gone();
            });
  }

  private void connected(WebSocket socket) {
    ClientSocket made =
        new ClientSocket(
            time,
            loop,
            (WebSocketInternal) socket,
            target(),
            request.messageBytesMax(),
            this::gone);
    if (!opened.complete(made)) {
      made.abort();
    }
  }

  /** Whoever waits is told, and what has begun is ended. */
  private void giveUp(HttpFailedException why) {
    if (opened.completeExceptionally(why)) {
      loop.runOnContext(_ -> closeClient());
    }
  }

  private void gone() {
    closeClient();
    onGone.run();
  }

  private void closeClient() {
    WebSocketClient open = client;
    if (open != null) {
      open.shutdown(0, TimeUnit.SECONDS);
    }
  }

  private HttpFailedException refused(Throwable cause) {
    if (cause instanceof UpgradeRejectedException answered) {
      return new HttpFailedException(refused(answered), false, cause);
    }
    if (cause instanceof WebSocketHandshakeException) {
      return new HttpFailedException(
          Failure.of(FailureCode.BACKEND_FAILURE, target() + " did not answer as a WebSocket"),
          false,
          cause);
    }
    boolean isUnsent =
        cause instanceof ConnectException
            || cause instanceof UnknownHostException
            || cause instanceof SSLException;
    Failure failure =
        isUnsent
            ? TransportFailures.connecting(cause, target())
            : TransportFailures.talking(cause, target());
    return new HttpFailedException(failure, isUnsent, cause);
  }

  private Failure refused(UpgradeRejectedException answered) {
    int status = answered.getStatus();
    FailureCode code =
        switch (status) {
          case UNAUTHORIZED, FORBIDDEN -> FailureCode.AUTH;
          case TOO_MANY -> FailureCode.RATE_LIMITED;
          case TIMEOUT, TOO_EARLY -> FailureCode.BACKEND_FAILURE;
          default -> status < 500 ? FailureCode.INVALID_REQUEST : FailureCode.BACKEND_FAILURE;
        };
    Failure failure =
        Failure.of(code, target() + " answered the handshake with " + status)
            .withContext(Map.of("status", Integer.toString(status)));
    MultiMap headers = answered.getHeaders();
    return failure.isPassing() && headers != null
        ? failure.withRetryAfter(RetryAfter.ofHeaders(HttpCaller.headers(headers), time.now()))
        : failure;
  }
}
