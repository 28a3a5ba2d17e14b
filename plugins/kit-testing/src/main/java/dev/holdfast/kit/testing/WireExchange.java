package dev.holdfast.kit.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The answering side of one request; one thread uses it. Every way to misbehave ends the
 * connection.
 */
public final class WireExchange {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private boolean keepAlive = true;

  WireExchange(Socket socket, InputStream in) throws IOException {
    this.socket = socket;
    this.in = in;
    this.out = socket.getOutputStream();
  }

  public void respond(int status, Map<String, String> headers, String body) throws IOException {
    respond(status, headers, body.getBytes(StandardCharsets.UTF_8));
  }

  public void respond(int status, Map<String, String> headers, byte[] bytes) throws IOException {
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(" x\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    head.append("content-length: ").append(bytes.length).append("\r\n\r\n");
    byte[] headBytes = head.toString().getBytes(StandardCharsets.ISO_8859_1);
    byte[] all = new byte[headBytes.length + bytes.length];
    System.arraycopy(headBytes, 0, all, 0, headBytes.length);
    System.arraycopy(bytes, 0, all, headBytes.length, bytes.length);
    out.write(all);
    out.flush();
  }

  /** Starts a chunked 200 answer; {@link #chunk} goes on and {@link #endStream} ends it. */
  public void startStream(String contentType) throws IOException {
    out.write(
        ("HTTP/1.1 200 OK\r\ncontent-type: "
                + contentType
                + "\r\ntransfer-encoding: chunked\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  public void chunk(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    out.write(bytes);
    out.write("\r\n".getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  public void endStream() throws IOException {
    out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  /** Answers the handshake of a WebSocket, which goes on until either side ends it. */
  public void serve(WireRequest handshake, WireSocket opened, Consumer<String> heard)
      throws IOException {
    keepAlive = false;
    out.write(
        ("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
                + "sec-websocket-accept: "
                + WireSocket.accepts(handshake.header("sec-websocket-key"))
                + "\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    opened.serve(in, out, heard);
  }

  /** Writes bytes as they are: for answers that are no HTTP. */
  public void raw(String bytes) throws IOException {
    out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
    cut();
  }

  /** Closes without a word. */
  public void cut() throws IOException {
    keepAlive = false;
    socket.close();
  }

  /** Sends a RST, as a crashed peer or a rude middlebox does. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    cut();
  }

  /** Says nothing until the other side closes or the time is over. */
  public void hang(Duration atMost) throws IOException {
    keepAlive = false;
    socket.setSoTimeout((int) atMost.toMillis());
    try {
      while (socket.getInputStream().read() >= 0) {
        // What comes after the request is of no interest; only the end is.
      }
    } catch (IOException e) {
      // The time is over, or the other side reset: both end the hang.
    }
    socket.close();
  }

  boolean isKeptAlive() {
    return keepAlive;
  }
}
