package dev.holdfast.net;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginSocket.Closed;
import dev.holdfast.api.PluginSocket.Event;
import dev.holdfast.api.PluginSocket.Text;
import dev.holdfast.time.Standstill;
import dev.holdfast.time.Time;
import dev.holdfast.time.TimeLimit;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.internal.http.WebSocketInternal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An open WebSocket: an event loop on one side, blocked threads on the other. Reads no further
 * while {@link #MESSAGES_AHEAD} messages, or as many bytes as one may have, wait for their reader;
 * what the last read has brought besides, 64 KiB at most, is kept too. Thread-safe.
 */
public final class ClientSocket {
  static final int MESSAGES_AHEAD = 64;

  /** The other side's time to answer a close; then the connection is cut. */
  static final Duration CLOSE_MAX = Duration.ofSeconds(1);

  static final Duration SEND_MAX = Duration.ofSeconds(10);

  /** Of the protocol. */
  private static final int REASON_BYTES_MAX = 123;

  private static final int PROTOCOL_ERROR = 1002;
  private static final int NOT_TEXT = 1003;
  private static final int BROKEN = 1006;
  private static final int NOT_UTF_8 = 1007;
  private static final int TOO_LONG = 1009;
  private static final int CODE_MASK = 0xFFFF;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Queue<Kept> kept = new ArrayDeque<>(); // under the lock, as all that may change
  private final Time time;
  private final Context loop;
  private final WebSocketInternal socket;
  private final ChannelHandlerContext connection;
  private final String target;
  private final int messageBytesMax;

  /** Belongs to the loop. */
  private @Nullable Buffer begun;

  private long keptBytes;
  private boolean isReading = true;
  private boolean isReceiving;
  private @Nullable Closed closed;

  private record Kept(String text, int bytes) {}

  /** Must be made on the loop, before anything of the socket was read. */
  ClientSocket(
      Time time,
      Context loop,
      WebSocketInternal socket,
      String target,
      int messageBytesMax,
      Runnable onGone) {
    this.time = time;
    this.loop = loop;
    this.socket = socket;
    this.connection = socket.channelHandlerContext();
    this.target = target;
    this.messageBytesMax = messageBytesMax;
    connection.channel().closeFuture().addListener(_ -> onGone.run());
    try {
      socket.exceptionHandler(this::broke);
      socket.closeHandler(_ -> end(BROKEN, "the connection ended", false));
      socket.frameHandler(this::frame);
    } catch (IllegalStateException _) { // closed in the same breath as it was opened
      end(code(), reason(), false);
      abort();
    }
  }

  /**
   * As {@link dev.holdfast.api.PluginSocket#receive}.
   *
   * @throws IllegalStateException when another thread receives
   */
  public Optional<Event> receive(Duration wait) throws InterruptedException {
    lock.lock();
    try {
      if (isReceiving) {
        throw new IllegalStateException("another thread receives");
      }
      // A socket that never lets its reader wait would otherwise never notice the interrupt.
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      isReceiving = true;
      try {
        long left = wait.toNanos();
        while (kept.isEmpty() && closed == null && left > 0) {
          left = news.awaitNanos(left);
        }
        return Optional.ofNullable(next());
      } finally {
        isReceiving = false;
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Event next() {
    Kept message = kept.poll();
    if (message == null) {
      return closed;
    }
    keptBytes -= message.bytes();
    readOrNot();
    return new Text(message.text());
  }

  /**
   * As {@link dev.holdfast.api.PluginSocket#send}. An interrupt closes the socket: nobody knows
   * whether the text was sent.
   */
  public void send(String text) throws HttpFailedException, InterruptedException {
    requireOpen();
    CompletableFuture<Boolean> written = new CompletableFuture<>();
    Failure late =
        Failure.of(
            FailureCode.TIMEOUT,
            target + " took nothing for " + SEND_MAX.toSeconds() + " s: the socket was closed");
    try (TimeLimit _ =
        TimeLimit.start(
            time,
            SEND_MAX,
            _ -> Standstill.CATCH_UP,
            () -> written.completeExceptionally(new HttpFailedException(late, false)))) {
      loop.runOnContext(
          _ ->
              socket
                  .writeFrame(WebSocketFrame.textFrame(text, true))
                  .onComplete(
                      _ -> written.complete(true),
                      cause ->
                          written.completeExceptionally(
                              new HttpFailedException(
                                  TransportFailures.talking(cause, target), false, cause))));
      boolean _ = written.get();
    } catch (InterruptedException e) {
      end(BROKEN, "a send was interrupted", true);
      abort();
      throw e;
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof HttpFailedException failed)) {
        throw new IllegalStateException(e.getCause());
      }
      end(BROKEN, failed.failure().message(), false);
      abort();
      throw new HttpFailedException(failed.failure(), false, failed);
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed != null;
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() throws HttpFailedException {
    lock.lock();
    try {
      Closed end = closed;
      if (end != null) {
        throw new HttpFailedException(
            Failure.of(
                FailureCode.NETWORK,
                "the socket to %s is closed: %d %s".formatted(target, end.code(), end.reason())),
            true);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns at once. What has come and was not received is dropped. */
  public void close(int code, String reason) {
    String told = cut(reason);
    if (end(code, told, true)) {
      loop.runOnContext(_ -> closePolitely(code, told));
    }
  }

  /** How many messages wait for their reader. */
  int kept() {
    lock.lock();
    try {
      return kept.size();
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing of its connection is left. */
  public boolean isGone() {
    return !connection.channel().isOpen();
  }

  /** Cuts the connection. */
  void abort() {
    loop.runOnContext(
        _ -> {
          ChannelFuture _ = connection.close();
        });
  }

  private void frame(WebSocketFrame frame) {
    if (isClosed()) {
      return; // what comes before the other side has read the close
    }
    if (frame.isClose()) {
      if (end(frame.closeStatusCode() & CODE_MASK, reasonOf(frame.closeReason()), false)) {
        abortLater(); // it is answered by now, and it is for the other side to end the connection
      }
    } else if (frame.isBinary()) {
      refuse(NOT_TEXT, "only text is understood");
    } else if (frame.isText() || frame.isContinuation()) {
      part(frame.binaryData(), frame.isFinal());
    }
  }

  private void part(Buffer bytes, boolean isLast) {
    Buffer earlier = begun;
    int length = bytes.length() + (earlier == null ? 0 : earlier.length());
    if (length > messageBytesMax) {
      refuse(TOO_LONG, tooLong());
      return;
    }
    if (!isLast) {
      begun = (earlier == null ? Buffer.buffer() : earlier).appendBuffer(bytes);
      return;
    }
    Buffer whole = earlier == null ? bytes : earlier.appendBuffer(bytes);
    begun = null;
    try {
      keep(
          new Kept(
              StandardCharsets.UTF_8
                  .newDecoder()
                  .decode(ByteBuffer.wrap(whole.getBytes()))
                  .toString(),
              length));
    } catch (CharacterCodingException _) {
      refuse(NOT_UTF_8, "a text was not valid UTF-8");
    }
  }

  private String tooLong() {
    return "a message had more than " + messageBytesMax + " bytes";
  }

  private void keep(Kept message) {
    lock.lock();
    try {
      if (closed == null) {
        kept.add(message);
        keptBytes += message.bytes();
        readOrNot();
        news.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Through Netty, as Vert.x reads on for some two dozen messages after it was paused, of 16 MiB
   * each maybe. What is no longer read fills the buffers of both machines, and then the other side
   * waits.
   */
  private void readOrNot() {
    boolean isFull = kept.size() >= MESSAGES_AHEAD || keptBytes >= messageBytesMax;
    boolean isHalf = kept.size() <= MESSAGES_AHEAD / 2 && keptBytes <= messageBytesMax / 2;
    boolean reads = closed != null || (isReading ? !isFull : isHalf);
    if (reads != isReading) {
      isReading = reads;
      connection.channel().config().setAutoRead(reads);
    }
  }

  private void broke(Throwable cause) {
    if (cause instanceof HttpClosedException) {
      return; // the close handler is called too
    }
    if (!(cause instanceof CorruptedWebSocketFrameException unreadable)) {
      end(BROKEN, TransportFailures.talking(cause, target).message(), false);
      return;
    }
    int code = unreadable.closeStatus().code();
    String reason = code == TOO_LONG ? tooLong() : "what came was not a valid WebSocket frame";
    if (end(code == TOO_LONG ? code : PROTOCOL_ERROR, reason, false)) {
      // Vert.x cuts the connection after this: the last moment to say why.
      ChannelFuture _ =
          connection.writeAndFlush(new CloseWebSocketFrame(unreadable.closeStatus(), reason));
    }
  }

  private void refuse(int code, String reason) {
    if (end(code, reason, false)) {
      closePolitely(code, reason);
    }
  }

  private void closePolitely(int code, String reason) {
    begun = null;
    socket.close((short) code, reason);
    abortLater();
  }

  /** Vert.x has a limit of its own, which begins when the other side has taken the close. */
  private void abortLater() {
    TimeLimit limit = TimeLimit.start(time, CLOSE_MAX, _ -> Standstill.CATCH_UP, this::abort);
    connection.channel().closeFuture().addListener(_ -> limit.close());
  }

  /** False when it has ended before. */
  private boolean end(int code, String reason, boolean isOurs) {
    lock.lock();
    try {
      if (isOurs) {
        kept.clear();
        keptBytes = 0;
      }
      if (closed != null) {
        return false;
      }
      closed = new Closed(code, reason);
      readOrNot(); // the answer to a close can only be read so; nothing else of it is kept
      news.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private int code() {
    Short code = socket.closeStatusCode();
    return code == null ? BROKEN : code & CODE_MASK;
  }

  private String reason() {
    return reasonOf(socket.closeReason());
  }

  private static String reasonOf(@Nullable String reason) {
    return reason == null ? "" : reason;
  }

  private static String cut(String reason) {
    String told = reason.substring(0, Math.min(reason.length(), REASON_BYTES_MAX));
    while (told.getBytes(StandardCharsets.UTF_8).length > REASON_BYTES_MAX) {
      told = told.substring(0, told.offsetByCodePoints(told.length(), -1));
    }
    return told;
  }
}
