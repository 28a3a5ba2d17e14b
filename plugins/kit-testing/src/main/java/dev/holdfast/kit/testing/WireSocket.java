package dev.holdfast.kit.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * The server's end of a WebSocket (RFC 6455), of texts alone. Sending never blocks: what the other
 * side does not read waits. Thread-safe.
 */
public final class WireSocket {
  private static final int TEXT = 1;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;

  private final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();

  /** What a handshake is answered with. */
  static String accepts(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest(
                  (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                      .getBytes(StandardCharsets.ISO_8859_1));
      return Base64.getEncoder().encodeToString(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  public void send(String text) {
    frame(TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Asks the other side to end it, which comes after all that was sent before. */
  public void close(int code, String reason) {
    byte[] words = reason.getBytes(StandardCharsets.UTF_8);
    frame(CLOSE, ByteBuffer.allocate(2 + words.length).putShort((short) code).put(words).array());
  }

  private void frame(int kind, byte[] content) {
    ByteBuffer frame = ByteBuffer.allocate(10 + content.length).put((byte) (0x80 | kind));
    if (content.length < 126) {
      frame.put((byte) content.length);
    } else if (content.length <= 0xffff) {
      frame.put((byte) 126).putShort((short) content.length);
    } else {
      frame.put((byte) 127).putLong(content.length);
    }
    frame.put(content).flip();
    byte[] bytes = new byte[frame.limit()];
    frame.get(bytes);
    frames.add(bytes);
  }

  /** Reads until either side ends it. */
  void serve(InputStream from, OutputStream to, Consumer<String> heard) throws IOException {
    Thread writer = Thread.ofVirtual().start(() -> write(to));
    try {
      DataInputStream in = new DataInputStream(from);
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      while (true) {
        int head = in.readUnsignedByte();
        byte[] content = content(in);
        switch (head & 0xf) {
          case PING -> frame(PONG, content);
          case PONG -> {}
          case CLOSE -> {
            frame(CLOSE, content);
            writer.join();
            return;
          }
          default -> {
            text.writeBytes(content);
            if ((head & 0x80) != 0) {
              heard.accept(text.toString(StandardCharsets.UTF_8));
              text.reset();
            }
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      writer.interrupt();
    }
  }

  private static byte[] content(DataInputStream in) throws IOException {
    int length = in.readUnsignedByte() & 0x7f; // a client always masks
    if (length == 126) {
      length = in.readUnsignedShort();
    } else if (length == 127) {
      length = Math.toIntExact(in.readLong());
    }
    byte[] mask = in.readNBytes(4);
    byte[] content = in.readNBytes(length);
    for (int at = 0; at < content.length; at++) {
      content[at] ^= mask[at % 4];
    }
    return content;
  }

  /** Nothing comes after a frame that ends it. */
  private void write(OutputStream to) {
    try {
      byte[] frame;
      do {
        frame = frames.take();
        to.write(frame);
        to.flush();
      } while ((frame[0] & 0xf) != CLOSE);
    } catch (IOException e) {
      // The other side is gone, which whoever reads learns too.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
