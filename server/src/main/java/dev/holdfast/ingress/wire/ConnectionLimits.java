package dev.holdfast.ingress.wire;

import dev.holdfast.time.Time;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.util.internal.PlatformDependent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;

/**
 * The connections of one event loop and the limits that they share. Used on that event loop only.
 */
public final class ConnectionLimits {
  /** A file is larger than a message, and comes over the same line. */
  private static final int UPLOAD_PATIENCE = 4;

  private static final int LOGIN_BYTES_MAX = 4096;

  /** No read takes more: what a connection leaves half said stays in such a buffer. */
  private static final int READ_BYTES_MAX = 8192;

  /** Else the kernel would keep megabytes for each client that does not read. */
  private static final int SEND_BUFFER_BYTES = 128 * 1024;

  /** Of the memory for answers on their way, over all event loops: so many loops share it. */
  private static final int LOOPS = 2;

  private static final int DIRECT_MEMORY_SHARE = 4;

  private static final int EXTRA_MAX = 64;

  private final HttpConfig config;
  private final long uploadBytesMax;
  private final BodyBudget bodies;
  private final long unreadBytesMax =
      PlatformDependent.maxDirectMemory() / DIRECT_MEMORY_SHARE / LOOPS;
  private final HttpServerOptions options;
  private final ConnectionCount connections;
  private final Time time;
  private final Refusals refusals;
  private final Set<RequestLimits> open = new HashSet<>();
  private final Peers peers = new Peers();

  /** Beyond the limit: for probes, and to tell others why they are refused. The oldest first. */
  private final SequencedSet<RequestLimits> extra = new LinkedHashSet<>();

  private long unreadBytes;

  /**
   * What a request may bring.
   *
   * @param uploadBytesMax of a body that brings a file
   * @param bodies what all of them may take together
   */
  public record Sizes(HttpConfig http, long uploadBytesMax, BodyBudget bodies) {
    public static Sizes ofHeap(HttpConfig http, long uploadBytesMax) {
      long largest = Math.max(http.maxBodyBytes(), uploadBytesMax);
      return new Sizes(http, uploadBytesMax, BodyBudget.ofHeap(largest));
    }
  }

  /** {@code connections}: counts those of all event loops of the listener. */
  public ConnectionLimits(
      Sizes sizes,
      HttpServerOptions options,
      ConnectionCount connections,
      Time time,
      Refusals refusals) {
    this.config = sizes.http();
    this.uploadBytesMax = sizes.uploadBytesMax();
    this.bodies = sizes.bodies();
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
        .setSendBufferSize(SEND_BUFFER_BYTES)
        .setAcceptBacklog(4096)
        .setIdleTimeout(
            0); // RequestLimits keeps it: a request that waits for its answer is not idle
  }

  public void enter(HttpConnection connection) {
    Channel channel = ((ConnectionBase) connection).channel();
    String address = Addresses.group(channel.remoteAddress());
    boolean isExtra = !connections.tryEnter() && !makeRoom(address);
    channel
        .config()
        .setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(512, 2048, READ_BYTES_MAX));
    RequestLimits requests = new RequestLimits(this, channel, isExtra);
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.replace("httpDecoder", "httpDecoder", new StrictDecoder(options, requests));
    ChannelHandlerContext decoder = pipeline.context("httpDecoder");
    requests.decodedBy(decoder);
    pipeline.addBefore("handler", "requestLimits", requests);
    open.add(requests);
    if (isExtra) {
      extra.addLast(requests);
    } else {
      requests.belongsTo(peers.enter(address, requests));
    }
  }

  /** Returns whether another connection has been closed for one of that address. */
  private boolean makeRoom(String address) {
    String largest = peers.largest();
    Optional<RequestLimits> other = peers.toMakeRoomFor(address);
    connections.full(other.isPresent(), largest.isEmpty() ? address : largest);
    if (other.isPresent()) {
      other.get().makeRoomNow();
      connections.enter();
    } else if (extra.size() >= EXTRA_MAX) {
      extra.getFirst().makeRoomNow();
    }
    return other.isPresent();
  }

  void left(RequestLimits requests) {
    if (open.remove(requests) && !extra.remove(requests)) {
      connections.left();
      requests.leave(peers);
    }
  }

  public void sweep() {
    long now = time.nanos();
    for (RequestLimits requests : List.copyOf(open)) {
      requests.sweep(now);
    }
  }

  /**
   * The caller of a request has proved who it is: its body makes no room for those of strangers.
   */
  public static void belongsTo(HttpServerRequest request, String caller) {
    Channel channel = ((ConnectionBase) request.connection()).channel();
    RequestLimits requests = channel.pipeline().get(RequestLimits.class);
    if (requests != null) {
      requests.belongsTo(caller);
    }
  }

  /** Ends the connection of a request whose answer its client does not read. */
  public static void cut(HttpServerRequest request) {
    Channel channel = ((ConnectionBase) request.connection()).channel();
    RequestLimits requests = channel.pipeline().get(RequestLimits.class);
    if (requests != null) {
      requests.cut();
    }
  }

  BodyBudget bodies() {
    return bodies;
  }

  /** So many more bytes of answers wait for clients that do not read. */
  void unread(long more) {
    unreadBytes += more;
  }

  /** When they take too much, those that have not read for longest are cut, until half is free. */
  void cutSlowReaders() {
    if (unreadBytes <= unreadBytesMax) {
      return;
    }
    List<RequestLimits> slow =
        open.stream()
            .filter(RequestLimits::leavesUnread)
            .sorted(Comparator.comparingLong(RequestLimits::pendingSinceNanos))
            .toList();
    for (RequestLimits slowest : slow) {
      if (unreadBytes > unreadBytesMax / 2) {
        slowest.cut();
      }
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

  long bodyNanos(BodyKind kind) {
    return config.bodyTimeout().toNanos() * (kind == BodyKind.UPLOAD ? UPLOAD_PATIENCE : 1);
  }

  long idleNanos() {
    return config.idleTimeout().toNanos();
  }

  long bodyBytesMax(BodyKind kind) {
    return switch (kind) {
      case MESSAGE -> config.maxBodyBytes();
      case UPLOAD -> uploadBytesMax;
      case LOGIN -> LOGIN_BYTES_MAX;
    };
  }
}
