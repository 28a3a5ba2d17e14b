package dev.holdfast.ingress.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stands between one connection's decoder and Vert.x: keeps the times and sizes of {@link
 * HttpConfig} for every request of the connection, and refuses what could be read in two ways. Used
 * on the connection's event loop only.
 */
final class RequestLimits extends ChannelDuplexHandler {
  /** How long a refused client may go on sending, so that it sees the answer instead of a reset. */
  private static final long LINGER_NANOS = 1_000_000_000L;

  /** How much it may go on sending; nothing of it is kept. */
  private static final long LINGER_BYTES = 4L * 1024 * 1024;

  /** Slower than this, for longer than a third of a body's time, and nothing good comes of it. */
  private static final long BODY_BYTES_PER_SEC_MIN = 1024;

  /** A body may have so many chunks of any size. */
  private static final int CHUNKS_FREE = 1024;

  /** Of more, the average piece has so many bytes: each is work, whatever it brings. */
  private static final long CHUNK_BYTES_MIN = 32;

  /** Of answers that a client leaves unread while it asks for more. */
  private static final long UNREAD_BYTES_MAX = 256 * 1024;

  /** A body of this size is no burden: it is not booked when it comes in one piece. */
  private static final int SMALL_BYTES = 4096;

  /** What whoever watches the server asks, and hears though all connections are in use. */
  private static final Set<String> PROBES = Set.of("/live", "/ready", "/health");

  /** In place of a status: nobody would read the answer. */
  private static final int CLOSE = -1;

  private enum Phase {
    /** Nothing of the next request has come. */
    BETWEEN,
    HEAD,
    BODY
  }

  private final ConnectionLimits connections;
  private final Channel channel;
  private @Nullable ChannelHandlerContext decoder;
  private Phase phase = Phase.HEAD;
  private long deadlineNanos;
  private long stuckSinceNanos;
  private boolean stuck;
  private long bodyBytes;
  private long chunks;
  private boolean isChunked;
  private long bodySinceNanos;
  private BodyKind kind = BodyKind.MESSAGE;
  private String correlationId = "";
  private String account = "";
  private boolean isKnown;
  private BodyBudget.@Nullable Booking booking;

  /** Whether what is still to come of the body is of no use to anybody. */
  private boolean isDropped;

  private long pendingBytes;
  private long pendingSinceNanos;
  private long lingerBytesMax;
  private int unanswered;
  private boolean answering;
  private boolean refused;

  /** Beyond the limit of connections: it may ask one thing, whether the server is well. */
  private final boolean isExtra;

  private Peers.@Nullable Peer peer;
  private Peers.Doing doing = Peers.Doing.IDLE;

  RequestLimits(ConnectionLimits connections, Channel channel, boolean isExtra) {
    this.connections = connections;
    this.channel = channel;
    this.isExtra = isExtra;
    this.deadlineNanos = connections.nanos() + connections.headerNanos();
  }

  void decodedBy(ChannelHandlerContext context) {
    decoder = context;
  }

  void belongsTo(Peers.Peer from) {
    peer = from;
  }

  void leave(Peers peers) {
    if (peer != null) {
      peers.leave(peer, this, doing);
      peer = null;
    }
  }

  /** Tells what the connection waits for now. */
  private void settle() {
    boolean isBusy = unanswered > (phase == Phase.BODY ? 1 : 0);
    Peers.Doing waiting = phase == Phase.BETWEEN ? Peers.Doing.IDLE : Peers.Doing.UNFINISHED;
    Peers.Doing next = isBusy ? Peers.Doing.BUSY : waiting;
    if (peer != null && doing != next) {
      peer.moved(this, doing, next);
    }
    doing = next;
  }

  /** Bytes came. Returns whether they are to be decoded; if not, they are released. */
  boolean onBytes(Object bytes) {
    if (refused) {
      linger(bytes);
      return false;
    }
    if (phase == Phase.BETWEEN) {
      phase = Phase.HEAD;
      deadlineNanos = connections.nanos() + connections.headerNanos();
    }
    return true;
  }

  /** Behind the last piece of what has been read at once: most requests come in one. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    settle();
    super.channelReadComplete(context);
  }

  private void linger(Object bytes) {
    if (bytes instanceof ByteBuf buffer) {
      bodyBytes += buffer.readableBytes();
    }
    ReferenceCountUtil.release(bytes);
    if (bodyBytes > lingerBytesMax) {
      closeNow();
    }
  }

  boolean isBetweenMessages() {
    return phase != Phase.BODY;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (refused) {
      ReferenceCountUtil.release(message);
      return;
    }
    int status = 0;
    if (message instanceof HttpRequest request) {
      status = onHead(request);
    }
    if (status == 0 && message instanceof HttpContent content) {
      status = onContent(content);
    }
    if (status != 0) {
      ReferenceCountUtil.release(message);
      if (status == CLOSE) {
        cut();
      } else {
        refuse(status);
      }
      return;
    }
    context.fireChannelRead(message);
  }

  private int onHead(HttpRequest request) {
    unanswered++;
    phase = Phase.BODY;
    bodyBytes = 0;
    chunks = 0;
    isChunked = HttpUtil.isTransferEncodingChunked(request);
    isDropped = false;
    isKnown = false;
    kind = BodyKind.of(request);
    account = BodyKind.webhookAccount(request);
    correlationId = Responses.correlationId(request.headers().get(Responses.CORRELATION_HEADER));
    bodySinceNanos = connections.nanos();
    deadlineNanos = bodySinceNanos + connections.bodyNanos(kind);
    measureUnread();
    if (pendingBytes > UNREAD_BYTES_MAX) {
      return CLOSE; // it asks for more than it reads
    }
    if (isExtra && !PROBES.contains(request.uri())) {
      return 503;
    }
    if (!request.decoderResult().isSuccess()) {
      return RawAnswers.statusOf(request.decoderResult().cause());
    }
    HttpVersion version = request.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return 505;
    }
    // A coding that the decoder does not know would make it take the body for the next request.
    List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!codings.isEmpty()
        && (codings.size() > 1 || !"chunked".equalsIgnoreCase(codings.getFirst().trim()))) {
      return 400;
    }
    if (request.headers().getAll(HttpHeaderNames.HOST).size() > 1
        || request.headers().contains("")) {
      return 400;
    }
    return HttpUtil.getContentLength(request, 0L) > connections.bodyBytesMax(kind) ? 413 : 0;
  }

  private int onContent(HttpContent content) {
    if (!content.decoderResult().isSuccess()) {
      return 400;
    }
    int arrived = content.content().readableBytes();
    boolean isLast = content instanceof LastHttpContent;
    boolean isSmallAndWhole = isLast && bodyBytes == 0 && arrived <= SMALL_BYTES;
    bodyBytes += arrived;
    if (bodyBytes > connections.bodyBytesMax(kind)) {
      return 413;
    }
    if (isChunked && ++chunks > CHUNKS_FREE && bodyBytes < chunks * CHUNK_BYTES_MIN) {
      return 400;
    }
    if (arrived > 0 && !isSmallAndWhole && !isDropped) {
      int status = book(arrived);
      if (status != 0) {
        return status;
      }
    }
    if (isLast) {
      phase = Phase.BETWEEN;
      deadlineNanos = connections.nanos() + connections.idleNanos();
      settle();
      if (booking != null) {
        booking.complete();
      }
    }
    return 0;
  }

  private int book(int arrived) {
    BodyBudget.Booking mine = booking;
    if (mine == null) {
      mine = connections.bodies().open(holders(), isKnown, this::makeRoom);
      booking = mine;
    }
    return switch (mine.add(arrived)) {
      case GRANTED -> 0;
      case SHARE_IS_USED -> 429;
      case ALL_IS_USED -> 503;
    };
  }

  private List<String> holders() {
    String address = "address " + Addresses.group(channel.remoteAddress());
    return account.isEmpty() ? List.of(address) : List.of(address, account);
  }

  /** On any thread. */
  private void makeRoom() {
    channel
        .eventLoop()
        .execute(
            () -> {
              if (phase == Phase.BODY) {
                refuseAtOnce(503);
              }
            });
  }

  /** The caller of the request that is being read has proved who it is. */
  void belongsTo(String caller) {
    if (phase == Phase.BODY && unanswered == 1 && booking == null) {
      isKnown = true;
      account = "caller " + caller;
    }
  }

  private void giveBack() {
    if (booking != null) {
      booking.close();
      booking = null;
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (refused) {
      ReferenceCountUtil.release(message);
      promise.tryFailure(new ClosedChannelException());
      return;
    }
    boolean interim = false;
    if (message instanceof HttpResponse response) {
      if (isExtra) {
        HttpUtil.setKeepAlive(response, false);
      }
      interim = response.status().code() < 200;
      answering |= !interim;
    }
    if (message instanceof LastHttpContent && !interim) {
      answering = false;
      unanswered--;
      if (phase == Phase.BETWEEN) {
        deadlineNanos = connections.nanos() + connections.idleNanos();
      }
      settle();
      if (unanswered == 0) {
        isDropped = phase == Phase.BODY;
        giveBack();
      }
    }
    boolean isLarge =
        message instanceof HttpContent content && content.content().readableBytes() > SMALL_BYTES;
    boolean isEnd = isExtra && message instanceof LastHttpContent && !interim;
    ChannelPromise written = isEnd ? promise.unvoid() : promise;
    ChannelFuture _ = context.write(message, written);
    if (isEnd) {
      written.addListener(_ -> closeNow());
    }
    if (isLarge) {
      measureUnread();
      connections.cutSlowReaders();
    }
  }

  /** What the client has left unread so far, as the kernel does not take it any more. */
  private void measureUnread() {
    ChannelOutboundBuffer outbound = channel.unsafe().outboundBuffer();
    long now = outbound == null ? 0 : outbound.totalPendingWriteBytes();
    if (pendingBytes == 0 && now > 0) {
      pendingSinceNanos = connections.nanos();
    }
    connections.unread(now - pendingBytes);
    pendingBytes = now;
  }

  /** Since when it has not read all; only of one that has left something. */
  long pendingSinceNanos() {
    return pendingSinceNanos;
  }

  boolean leavesUnread() {
    return pendingBytes > 0;
  }

  void cut() {
    forgetUnread();
    connections.countRefusal(408);
    closeNow();
  }

  private void forgetUnread() {
    connections.unread(-pendingBytes);
    pendingBytes = 0;
  }

  /**
   * Answers what can still be answered, then lets the client finish its sentence for a moment, then
   * closes.
   */
  void refuse(int status) {
    ChannelFuture answered = answerRaw(status);
    if (answered == null) {
      return;
    }
    lingerBytesMax = bodyBytes + LINGER_BYTES;
    deadlineNanos = connections.nanos() + LINGER_NANOS;
    answered.addListener(this::finishOutput);
    channel.config().setAutoRead(true);
  }

  /** As {@link #refuse}, but what the body has taken of memory is free at once. */
  private void refuseAtOnce(int status) {
    ChannelFuture answered = answerRaw(status);
    if (answered != null) {
      answered.addListener(_ -> closeNow());
    }
  }

  /** Another connection gets its place. */
  void makeRoomNow() {
    if (doing == Peers.Doing.UNFINISHED) {
      refuseAtOnce(503);
    }
    refused = true;
    connections.left(this);
    closeNow();
  }

  /** Null when nothing can be answered. */
  private @Nullable ChannelFuture answerRaw(int status) {
    if (refused) {
      return null;
    }
    refused = true;
    connections.countRefusal(status);
    // With another answer still to come or half written, a client would take this one for that:
    // only closing is clear.
    boolean clear = !answering && unanswered == (phase == Phase.BODY ? 1 : 0);
    ChannelHandlerContext context = decoder;
    if (!clear || context == null) {
      closeNow();
      return null;
    }
    String id = correlationId.isEmpty() ? Responses.correlationId((String) null) : correlationId;
    boolean isFull = status == 503 && isExtra;
    return context.writeAndFlush(
        isFull ? RawAnswers.noConnection(id) : RawAnswers.bytes(status, id));
  }

  /**
   * Past Vert.x, whose own closing waits until all is written: what nobody reads is never written.
   */
  private void closeNow() {
    ChannelHandlerContext context = decoder;
    ChannelFuture _ = context == null ? channel.close() : context.close();
  }

  private void finishOutput(io.netty.util.concurrent.Future<? super Void> written) {
    if (written.isSuccess() && channel instanceof DuplexChannel duplex) {
      duplex.shutdownOutput().addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    } else {
      closeNow();
    }
  }

  /** Looks at the clock; called every quarter of a second. */
  void sweep(long now) {
    measureUnread();
    if (!refused && isStuck(now)) {
      connections.countRefusal(408);
      closeNow();
      return;
    }
    if (!refused && isTooSlow(now)) {
      refuse(408);
      return;
    }
    if (now - deadlineNanos < 0) {
      return;
    }
    if (refused) {
      closeNow();
      return;
    }
    switch (phase) {
      case HEAD -> refuse(408);
      case BODY -> onLateBody(now);
      case BETWEEN -> {
        if (unanswered == 0) {
          closeNow();
        }
      }
    }
  }

  private void onLateBody(long now) {
    if (channel.config().isAutoRead()) {
      refuse(408);
    } else {
      deadlineNanos = now + connections.bodyNanos(kind); // it is we who do not read
    }
  }

  private boolean isTooSlow(long now) {
    long elapsed = now - bodySinceNanos;
    return phase == Phase.BODY
        && channel.config().isAutoRead()
        && elapsed > connections.bodyNanos(BodyKind.MESSAGE) / 3
        && bodyBytes < BODY_BYTES_PER_SEC_MIN * (elapsed / 1_000_000_000L);
  }

  /** Whether a client has left bytes of ours unread for too long. */
  private boolean isStuck(long now) {
    boolean pending =
        channel.bytesBeforeUnwritable() < channel.config().getWriteBufferHighWaterMark();
    if (!pending) {
      stuck = false;
    } else if (!stuck) {
      stuck = true;
      stuckSinceNanos = now;
    }
    return stuck && now - stuckSinceNanos > connections.idleNanos();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    giveBack();
    forgetUnread();
    connections.left(this);
    super.channelInactive(context);
  }

  /** Answers that are written past Vert.x, which has no request to answer. */
  static final class RawAnswers {
    private RawAnswers() {}

    static int statusOf(@Nullable Throwable cause) {
      return switch (cause) {
        case io.netty.handler.codec.http.TooLongHttpLineException _ -> 414;
        case io.netty.handler.codec.http.TooLongHttpHeaderException _ -> 431;
        case null, default -> 400;
      };
    }

    /** {@code correlationId}: a plain word. */
    static ByteBuf bytes(int status, String correlationId) {
      String code =
          switch (status) {
            case 503 -> "OVERLOADED";
            case 429 -> "RATE_LIMITED";
            case 408 -> "TIMEOUT";
            default -> "INVALID_REQUEST";
          };
      return bytes(status, HttpResponseStatus.valueOf(status).reasonPhrase(), code, correlationId);
    }

    static ByteBuf noConnection(String correlationId) {
      String message = "all connections that http.max_connections allows are in use; try again";
      return bytes(503, message, "OVERLOADED", correlationId);
    }

    private static ByteBuf bytes(int status, String message, String code, String correlationId) {
      String phrase = HttpResponseStatus.valueOf(status).reasonPhrase();
      String body =
          "{\"error\":{\"code\":\""
              + code
              + "\",\"message\":\""
              + message
              + "\",\"details\":{}},\"correlation_id\":\""
              + correlationId
              + "\"}";
      String head =
          "HTTP/1.1 "
              + status
              + " "
              + phrase
              + "\r\n"
              + "content-type: application/json\r\n"
              + "content-length: "
              + body.length()
              + "\r\n"
              + "x-content-type-options: nosniff\r\n"
              + (status == 503 || status == 429 ? "retry-after: 5\r\n" : "")
              + "connection: close\r\n\r\n";
      return Unpooled.copiedBuffer(head + body, StandardCharsets.US_ASCII);
    }
  }
}
