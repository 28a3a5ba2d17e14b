package dev.holdfast.api;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A WebSocket that a plugin opened by {@link PluginHttp#connect}. Pings are answered by the server.
 * Methods may be called by any thread; {@link #receive} by one at a time.
 */
public interface PluginSocket extends AutoCloseable {
  /**
   * Where to connect.
   *
   * @param url absolute, {@code ws} or {@code wss}
   * @param headers of the handshake, none of which may be one of its own, {@code Sec-WebSocket-...}
   * @param connectTimeout from 1 s to 60 s, until the handshake is done
   * @param messageBytesMax a longer message, in UTF-8, closes the socket with 1009; at most 16 MiB
   */
  record Request(
      String url, Map<String, String> headers, Duration connectTimeout, int messageBytesMax) {
    private static final Duration USUAL = Duration.ofSeconds(10);
    private static final int USUAL_BYTES_MAX = 1024 * 1024;

    public Request {
      headers = Map.copyOf(headers);
    }

    /** With 10 s to connect and messages of at most 1 MiB. */
    public static Request to(String url, Map<String, String> headers) {
      return new Request(url, headers, USUAL, USUAL_BYTES_MAX);
    }
  }

  /** What came. */
  sealed interface Event {}

  /**
   * A message of text, whole. One of bytes is not handed over, and closes the socket with 1003; one
   * that is not valid UTF-8 closes it with 1007.
   */
  record Text(String text) implements Event {}

  /**
   * The socket was closed by either side, or it broke. Comes after all that was sent before; then
   * again each time.
   *
   * @param code of RFC 6455; 1006 when it broke or ended without a word, 1002 when what came was no
   *     WebSocket's
   * @param reason as it was given, or what broke; at most 2,000 UTF-16 units, without secrets
   */
  record Closed(int code, String reason) implements Event {}

  /**
   * Waits for the next event; empty when none came in time. While nobody receives, no more than 64
   * messages are kept, nor, but for the last, more bytes than one of them may have; then the socket
   * is read no further, which slows the other side down and leaves its pings without an answer.
   *
   * @param wait at most 10 min
   * @throws IllegalStateException when another thread receives
   */
  Optional<Event> receive(Duration wait) throws InterruptedException;

  /**
   * Sends a text. Returns when it was handed to the operating system, after 10 s at most. When it
   * fails or is interrupted, nobody knows whether the text was sent, and the socket is closed.
   *
   * @param text at most 16 MiB of UTF-8
   * @throws CallFailedException NETWORK when the socket is closed or breaks, TIMEOUT when the other
   *     side reads nothing
   */
  void send(String text) throws CallFailedException, InterruptedException;

  /**
   * Closes it, politely if the other side answers within 1 s. Returns at once. What was not
   * received by then is dropped; afterwards {@link #receive} says {@link Closed} with this code.
   * Does nothing when it is closed already.
   *
   * @param code of RFC 6455, 1000 or from 3000 to 4999
   * @param reason cut to 123 bytes of UTF-8
   */
  void close(int code, String reason);

  /** Closes it with 1000. */
  @Override
  default void close() {
    close(1000, "");
  }
}
