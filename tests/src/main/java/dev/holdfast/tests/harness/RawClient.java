package dev.holdfast.tests.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One TCP connection to the server that says exactly the bytes that a test wants. */
public final class RawClient implements AutoCloseable {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})");
  private final Socket socket;

  public RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
  }

  /** From another address of this machine, such as 127.0.0.9. */
  public RawClient(int port, String from) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(from), 0);
    socket.setTcpNoDelay(true);
  }

  /**
   * Sends a whole request on its own connection and returns all that comes back within five
   * seconds.
   */
  public static String ask(int port, String bytes) throws IOException {
    try (RawClient client = new RawClient(port)) {
      client.say(bytes);
      return client.hear(Duration.ofSeconds(5));
    }
  }

  /** The status of the first answer in what came back; 0 when there is none. */
  public static int status(String answers) {
    Matcher first = STATUS.matcher(answers);
    return first.find() ? Integer.parseInt(first.group(1)) : 0;
  }

  public RawClient say(String bytes) throws IOException {
    return say(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  public RawClient say(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /**
   * Reads until the server closes, an answer without a following one is complete, or the time is
   * over.
   */
  public String hear(Duration limit) throws IOException {
    long end = System.nanoTime() + limit.toNanos();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    byte[] block = new byte[8192];
    while (true) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return all.toString(StandardCharsets.ISO_8859_1);
      }
      // After the first bytes a short silence means that the answer is complete.
      socket.setSoTimeout((int) (all.size() == 0 ? left : Math.min(left, 300)));
      try {
        int count = in.read(block);
        if (count < 0) {
          return all.toString(StandardCharsets.ISO_8859_1);
        }
        all.write(block, 0, count);
      } catch (SocketTimeoutException e) {
        return all.toString(StandardCharsets.ISO_8859_1);
      }
    }
  }

  /**
   * Whether the server ends the connection within the time; what it sends before is read and
   * dropped.
   */
  public boolean isEndedWithin(Duration limit) throws IOException {
    long end = System.nanoTime() + limit.toNanos();
    byte[] block = new byte[8192];
    try {
      while (true) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return false;
        }
        socket.setSoTimeout((int) left);
        if (socket.getInputStream().read(block) < 0) {
          return true;
        }
      }
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // a reset ends it too
    }
  }

  /** From now on the kernel takes only a few kilobytes that nobody reads. */
  public RawClient receiveLittle() throws IOException {
    socket.setReceiveBufferSize(4096);
    return this;
  }

  /** Blocks until the other end has ended the connection. */
  void awaitEnd() throws IOException {
    byte[] block = new byte[8192];
    int count = 0;
    while (count >= 0) {
      count = socket.getInputStream().read(block);
    }
  }

  boolean isClosed() {
    return socket.isClosed();
  }

  /** Ends with a RST. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
