package dev.holdfast.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;

/** The other side of a WebSocket, frame by frame, also in ways that no library would. */
public final class SocketPeer {
  public static final int CONTINUED = 0;
  public static final int TEXT = 1;
  public static final int BINARY = 2;
  public static final int CLOSE = 8;
  public static final int PING = 9;
  public static final int PONG = 10;

  private final RawServer.Connection connection;

  /** {@code payload}: unmasked. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Frame(int opcode, byte[] payload) {
    public String text() {
      return new String(payload, StandardCharsets.UTF_8);
    }

    /** Of a close. */
    public int code() {
      return ((payload[0] & 0xFF) << 8) | (payload[1] & 0xFF);
    }
  }

  private SocketPeer(RawServer.Connection connection) {
    this.connection = connection;
  }

  /** Answers the handshake whose head was read. */
  public static SocketPeer accept(RawServer.Connection connection) throws IOException {
    connection.write(answer(connection));
    return new SocketPeer(connection);
  }

  /** What accepts the handshake whose head was read. */
  public static String answer(RawServer.Connection connection) {
    String key =
        connection
            .head()
            .lines()
            .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("sec-websocket-key:"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElseThrow();
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: "
        + accepted(key)
        + "\r\n\r\n";
  }

  private static String accepted(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest(
                  (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                      .getBytes(StandardCharsets.ISO_8859_1));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  public RawServer.Connection connection() {
    return connection;
  }

  public void text(String text) throws IOException {
    connection.write(frame(TEXT, true, text.getBytes(StandardCharsets.UTF_8)));
  }

  public void close(int code, String reason) throws IOException {
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    payload.write(code >> 8);
    payload.write(code);
    payload.writeBytes(reason.getBytes(StandardCharsets.UTF_8));
    connection.write(frame(CLOSE, true, payload.toByteArray()));
  }

  public void write(int opcode, boolean isLast, byte[] payload) throws IOException {
    connection.write(frame(opcode, isLast, payload));
  }

  public static byte[] frame(int opcode, boolean isLast, byte[] payload) {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.write(opcode | (isLast ? 0x80 : 0));
    int length = payload.length;
    if (length < 126) {
      frame.write(length);
    } else if (length < 65_536) {
      frame.write(126);
      frame.write(length >> 8);
      frame.write(length);
    } else {
      frame.write(127);
      for (int shift = 56; shift >= 0; shift -= 8) {
        frame.write((int) ((long) length >> shift));
      }
    }
    frame.writeBytes(payload);
    return frame.toByteArray();
  }

  /** The next frame of the client. */
  public Frame read() throws IOException {
    int opcode = one() & 0x0F;
    long length = one() & 0x7F;
    if (length >= 126) {
      int bytes = length == 126 ? 2 : 8;
      length = 0;
      for (int i = 0; i < bytes; i++) {
        length = (length << 8) | one();
      }
    }
    int[] mask = {one(), one(), one(), one()};
    byte[] payload = new byte[Math.toIntExact(length)];
    for (int i = 0; i < payload.length; i++) {
      payload[i] = (byte) (one() ^ mask[i % mask.length]);
    }
    return new Frame(opcode, payload);
  }

  private int one() throws IOException {
    int read = connection.read();
    if (read < 0) {
      throw new IOException("closed");
    }
    return read;
  }
}
