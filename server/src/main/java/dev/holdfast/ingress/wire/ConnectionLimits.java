package dev.holdfast.ingress.wire;

import dev.holdfast.time.Time;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections of one event loop and the limits that they share. Used on that event loop only.
 */
public final class ConnectionLimits {
  /** A file is larger than a message, and comes over the same line. */
  private static final int UPLOAD_PATIENCE = 4;

  private final HttpConfig config;
  private final long uploadBytesMax;
  private final HttpServerOptions options;
  private final AtomicInteger connections;
  private final Time time;
  private final Refusals refusals;
  private final Set<RequestLimits> open = new HashSet<>();

  /** {@code uploadBytesMax}: of a body that brings a file. */
  public record Sizes(HttpConfig http, long uploadBytesMax) {}

  /** {@code connections}: counts those of all event loops of the listener. */
  public ConnectionLimits(
      Sizes sizes,
      HttpServerOptions options,
      AtomicInteger connections,
      Time time,
      Refusals refusals) {
    this.config = sizes.http();
    this.uploadBytesMax = sizes.uploadBytesMax();
    this.options = options;
    this.connections = connections;
    this.time = time;
    this.refusals = refusals;
  }

  /** What Vert.x is told: nothing but HTTP/1, no upgrade, no decompression, heads of 8 KiB. */
  public static HttpServerOptions options(String host, int port) {
    return new HttpServerOptions()
        .setHost(host)
        .setPort(port)
        .setHttp2ClearTextEnabled(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setRegisterWebSocketWriteHandlers(false)
        .setDecompressionSupported(false)
        .setCompressionSupported(false)
        .setHandle100ContinueAutomatically(true)
        .setMaxInitialLineLength(4096)
        .setMaxHeaderSize(8192)
        .setMaxFormFields(0)
        .setTcpNoDelay(true)
        .setReuseAddress(true)
        .setAcceptBacklog(4096)
        .setIdleTimeout(
            0); // RequestLimits keeps it: a request that waits for its answer is not idle
  }

  public void enter(HttpConnection connection) {
    Channel channel = ((ConnectionBase) connection).channel();
    if (connections.incrementAndGet() > config.maxConnections()) {
      connections.decrementAndGet();
      countRefusal(503);
      channel
          .pipeline()
          .firstContext()
          .writeAndFlush(RequestLimits.RawAnswers.bytes(503))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    RequestLimits requests = new RequestLimits(this, channel);
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.replace("httpDecoder", "httpDecoder", new StrictDecoder(options, requests));
    ChannelHandlerContext decoder = pipeline.context("httpDecoder");
    requests.decodedBy(decoder);
    pipeline.addBefore("handler", "requestLimits", requests);
    open.add(requests);
  }

  void left(RequestLimits requests) {
    if (open.remove(requests)) {
      connections.decrementAndGet();
    }
  }

  public void sweep() {
    long now = time.nanos();
    for (RequestLimits requests : List.copyOf(open)) {
      requests.sweep(now);
    }
  }

  void countRefusal(int status) {
    refusals.count(status);
  }

  long nanos() {
    return time.nanos();
  }

  long headerNanos() {
    return config.headerTimeout().toNanos();
  }

  long bodyNanos(boolean isUpload) {
    return config.bodyTimeout().toNanos() * (isUpload ? UPLOAD_PATIENCE : 1);
  }

  long idleNanos() {
    return config.idleTimeout().toNanos();
  }

  long bodyBytesMax(boolean isUpload) {
    return isUpload ? uploadBytesMax : config.maxBodyBytes();
  }
}
