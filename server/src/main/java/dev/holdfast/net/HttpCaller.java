package dev.holdfast.net;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.time.Time;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A blocking HTTP client for virtual threads. No retries, no redirects, no compression,
 * certificates always verified. Interrupting the caller aborts the request. Never to be called on
 * an event loop.
 */
public final class HttpCaller implements AutoCloseable {
  private static final int LOOPS = 2;
  private static final int CONNECTIONS_PER_HOST = 256;
  private static final int WAITING_PER_HOST = 1024;

  /**
   * Below the 5 s after which common servers close an idle connection: a request that meets such a
   * close may or may not have been read, so it must be rare.
   */
  private static final int KEEP_ALIVE_SECONDS = 4;

  /** With the cache of names it bounds how long an old address is used. */
  private static final int CONNECTION_LIFE_SECONDS = 60;

  private static final int HEAD_BYTES_MAX = 32 * 1024;
  private static final int DNS_CACHE_SECONDS = 30;

  private final Vertx vertx;
  private final Time time;
  private final @Nullable TrustOptions trust;
  private final HttpClient client;
  private final List<Context> loops;
  private final String deployment;
  private final AtomicInteger turn = new AtomicInteger();

  private HttpCaller(Vertx vertx, Time time, @Nullable TrustOptions trust) {
    this.vertx = vertx;
    this.time = time;
    this.trust = trust;
    HttpClientOptions options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_1_1)
            .setUseAlpn(false)
            .setVerifyHost(true)
            .setDecompressionSupported(false)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(HEAD_BYTES_MAX);
    if (trust != null) {
      options.setTrustOptions(trust);
    }
    this.client =
        vertx.createHttpClient(
            options,
            new PoolOptions()
                .setHttp1MaxSize(CONNECTIONS_PER_HOST)
                .setMaxWaitQueueSize(WAITING_PER_HOST)
                .setMaxLifetime(CONNECTION_LIFE_SECONDS)
                .setMaxLifetimeUnit(TimeUnit.SECONDS));
    List<Context> made = new CopyOnWriteArrayList<>();
    // Loops of its own: a caller on a verticle would otherwise wait for handlers that run on
    // itself.
    this.deployment =
        vertx
            .deployVerticle(() -> new Loop(made::add), new DeploymentOptions().setInstances(LOOPS))
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    this.loops = List.copyOf(made);
  }

  /**
   * Blocks for a moment: not for an event loop. {@code vertx} should be made with {@link #names}.
   */
  public static HttpCaller create(Vertx vertx, Time time) {
    return new HttpCaller(vertx, time, null);
  }

  /** For tests: trusts other authorities than the machine does. */
  static HttpCaller create(Vertx vertx, Time time, TrustOptions trust) {
    return new HttpCaller(vertx, time, trust);
  }

  /**
   * How names are resolved; belongs into the options that Vert.x is made of. An address is kept for
   * at most 30 s.
   */
  public static AddressResolverOptions names() {
    return new AddressResolverOptions()
        .setCacheMaxTimeToLive(DNS_CACHE_SECONDS)
        .setCacheNegativeTimeToLive(1)
        .setQueryTimeout(2500);
  }

  /** {@code headers}: one value a name. {@code body} empty: none. */
  @SuppressWarnings("ArrayRecordComponent") // bytes as they go out
  public record Request(String method, String url, Map<String, String> headers, byte[] body) {}

  /**
   * {@code connect}: name, connection and TLS; {@code firstByte}: from the request's end to the
   * first byte of the body; {@code idle}: between bytes; {@code total}: all of it. {@code
   * bodyBytesMax}: a longer answer is a failure.
   */
  public record Limits(
      Duration connect, Duration firstByte, Duration idle, Duration total, long bodyBytesMax) {}

  /** Header names in lower case. */
  @SuppressWarnings("ArrayRecordComponent") // bytes as they came
  public record Response(int status, Map<String, List<String>> headers, byte[] body) {}

  /**
   * An answer that is still coming. Reading blocks, within the limits; it throws {@link
   * BodyFailedException}, and {@link java.io.InterruptedIOException} with the interrupt still set.
   * Closing it aborts the rest.
   */
  public record Streamed(int status, Map<String, List<String>> headers, BodyStream body) {}

  /** Every status is an answer; only the lack of a whole answer is a failure. */
  public Response send(Request request, Limits limits)
      throws HttpFailedException, InterruptedException {
    HttpExchange exchange = exchange(request, limits);
    HttpClientResponse head = open(exchange, request, null);
    Buffer body = Buffer.buffer();
    for (Buffer chunk = exchange.next(); chunk != null; chunk = exchange.next()) {
      body.appendBuffer(chunk);
    }
    return new Response(head.statusCode(), headers(head.headers()), body.getBytes());
  }

  /** As {@link #send}, but returns when the head is there. */
  public Streamed stream(Request request, Limits limits)
      throws HttpFailedException, InterruptedException {
    return stream(request, limits, null);
  }

  /**
   * Connects to {@code to} and to nothing else, whatever the name resolves to; the name still
   * stands in the Host header and is what the certificate must be for.
   */
  Streamed stream(Request request, Limits limits, @Nullable InetSocketAddress to)
      throws HttpFailedException, InterruptedException {
    HttpExchange exchange = exchange(request, limits);
    HttpClientResponse head = open(exchange, request, to);
    return new Streamed(head.statusCode(), headers(head.headers()), new BodyStream(exchange));
  }

  /**
   * Opens a WebSocket. Blocks until its handshake is done; interrupting the caller gives it up.
   *
   * @param onGone runs once, on any thread, when nothing is left of the connection, or of the
   *     attempt to make it; must not block
   * @throws HttpFailedException AUTH, RATE_LIMITED, BACKEND_FAILURE or INVALID_REQUEST with {@code
   *     status} in its context when the other side refused; NETWORK, TIMEOUT when it gave no answer
   */
  public ClientSocket connect(PluginSocket.Request request, Runnable onGone)
      throws HttpFailedException, InterruptedException {
    return SocketHandshake.open(vertx, time, loop(), trust, request, onGone);
  }

  /** Aborts what is in flight. */
  @Override
  public void close() {
    Future.all(client.close(), vertx.undeploy(deployment))
        .toCompletionStage()
        .toCompletableFuture()
        .handle((_, _) -> true)
        .join();
  }

  private HttpExchange exchange(Request request, Limits limits) throws HttpFailedException {
    return new HttpExchange(
        time, loop(), limits, hostAndPort(address(request.url(), "http", "https")));
  }

  private Context loop() {
    return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
  }

  private HttpClientResponse open(
      HttpExchange exchange, Request request, @Nullable InetSocketAddress to)
      throws HttpFailedException, InterruptedException {
    RequestOptions options = new RequestOptions().setFollowRedirects(false);
    try {
      options.setMethod(HttpMethod.valueOf(request.method()));
      options.setAbsoluteURI(request.url());
      if (to != null) {
        options.setServer(SocketAddress.inetSocketAddress(to));
      }
      request.headers().forEach((name, value) -> putHeader(options, name, value));
    } catch (IllegalArgumentException | io.vertx.core.VertxException e) {
      throw unusable("the request cannot be sent: its address or a header is not valid");
    }
    return exchange.open(client, options, request.body());
  }

  static void putHeader(RequestOptions options, String name, String value) {
    if (value.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
      throw new IllegalArgumentException(name);
    }
    options.putHeader(name, value);
  }

  static URI address(String url, String plain, String secure) throws HttpFailedException {
    try {
      URI uri = new URI(url);
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      if (uri.getHost() == null || !(scheme.equals(plain) || scheme.equals(secure))) {
        throw unusable("only %s:// and %s:// addresses can be called".formatted(plain, secure));
      }
      return uri;
    } catch (URISyntaxException _) {
      throw unusable("the address to call is not valid");
    }
  }

  static String hostAndPort(URI uri) {
    return uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
  }

  static HttpFailedException unusable(String why) {
    return new HttpFailedException(
        Failure.of(FailureCode.INVALID_REQUEST, why).as(FailureKind.PERMANENT), true);
  }

  static Map<String, List<String>> headers(MultiMap headers) {
    Map<String, List<String>> all = new TreeMap<>();
    for (String name : headers.names()) {
      all.put(name.toLowerCase(Locale.ROOT), List.copyOf(headers.getAll(name)));
    }
    return all;
  }

  /** Nothing but an event loop to run on. */
  private static final class Loop extends VerticleBase {
    private final Consumer<Context> started;

    Loop(Consumer<Context> started) {
      this.started = started;
    }

    @Override
    public Future<?> start() {
      started.accept(context);
      return Future.succeededFuture();
    }
  }
}
