package dev.holdfast.net;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A server that answers byte by byte as a test says, also in ways that no HTTP library would. */
public final class RawServer implements AutoCloseable {
  /** What happens to one connection once the head of its first request was read. */
  public interface Script {
    void play(Connection connection) throws IOException, InterruptedException;
  }

  private final ServerSocket socket;
  private final Script script;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong written = new AtomicLong();
  private final CountDownLatch gone = new CountDownLatch(1);

  public RawServer(Script script) {
    this.script = script;
    try {
      this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  public String url() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  public int connections() {
    return connections.get();
  }

  public long written() {
    return written.get();
  }

  /** Opens when some client has closed its connection. */
  public CountDownLatch gone() {
    return gone;
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        open.add(client);
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException _) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      Connection connection = new Connection(client);
      connection.readHead();
      script.play(connection);
    } catch (IOException _) {
      gone.countDown();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
      for (Socket client : open) {
        client.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One client. */
  public final class Connection {
    private final Socket client;
    private String head = "";

    Connection(Socket client) {
      this.client = client;
    }

    /** Reads up to the empty line; what else has come is dropped. */
    public void readHead() throws IOException {
      int state = 0;
      StringBuilder read = new StringBuilder();
      while (state < 4) {
        int c = client.getInputStream().read();
        if (c < 0) {
          throw new IOException("closed");
        }
        read.append((char) c);
        state = c == (state % 2 == 0 ? '\r' : '\n') ? state + 1 : 0;
      }
      head = read.toString();
    }

    /** Of the last request. */
    public String head() {
      return head;
    }

    /** One byte; -1 when the client is gone. */
    public int read() throws IOException {
      return client.getInputStream().read();
    }

    public void write(String text) throws IOException {
      write(text.getBytes(StandardCharsets.UTF_8));
    }

    public void write(byte[] bytes) throws IOException {
      OutputStream out = client.getOutputStream();
      out.write(bytes);
      out.flush();
      written.addAndGet(bytes.length);
    }

    public void chunk(String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      write(Integer.toHexString(bytes.length) + "\r\n" + text + "\r\n");
    }

    /** Reads so many bytes of the body. */
    public void read(long bytes) throws IOException {
      client.getInputStream().skipNBytes(bytes);
    }

    /** Blocks until the client is gone. */
    public void awaitClose() throws IOException {
      while (client.getInputStream().read() >= 0) {
        // the body of the request
      }
      gone.countDown();
    }

    /** Whether the client is gone after so long at most. */
    public boolean isClosedWithin(Duration wait) throws IOException {
      client.setSoTimeout(Math.toIntExact(wait.toMillis()));
      try {
        awaitClose();
        return true;
      } catch (SocketTimeoutException _) {
        return false;
      }
    }

    public void reset() throws IOException {
      client.setSoLinger(true, 0);
      client.close();
    }
  }
}
