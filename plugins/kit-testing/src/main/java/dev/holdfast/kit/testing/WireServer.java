package dev.holdfast.kit.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A small HTTP/1.1 server on virtual threads that a test can make misbehave down to the bytes. It
 * can be closed to new connections and opened again on the same port.
 */
public final class WireServer implements AutoCloseable {
  /** Answers one request. What it throws ends the connection. */
  @FunctionalInterface
  public interface Handler {
    void handle(WireRequest request, WireExchange exchange) throws Exception;
  }

  private final Handler handler;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile @Nullable ServerSocket listener;
  private volatile CompletableFuture<Void> accepting = CompletableFuture.completedFuture(null);

  public WireServer(Handler handler) {
    this.handler = handler;
    this.port = listen(0);
  }

  public int port() {
    return port;
  }

  public String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  /** From now on connections are refused, and those that are open are reset. */
  public void refuse() {
    ServerSocket now = listener;
    listener = null;
    try {
      if (now != null) {
        now.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    accepting.join(); // or the system still takes connections
    open.forEach(WireServer::reset);
  }

  private static void reset(Socket socket) {
    try (socket) {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // Its own thread closed it in the same moment.
    }
  }

  /** Accepts again after {@link #refuse()}. */
  public void accept() {
    if (listener == null) {
      listen(port);
    }
  }

  @Override
  public void close() {
    refuse();
  }

  private int listen(int wanted) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted), 4096);
      listener = socket;
      accepting = CompletableFuture.runAsync(() -> acceptLoop(socket), Thread::startVirtualThread);
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void acceptLoop(ServerSocket from) {
    while (true) {
      try {
        Socket socket = from.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        return; // closed by refuse()
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream(), 16_384);
      WireExchange exchange = new WireExchange(socket, in);
      while (exchange.isKeptAlive()) {
        @Nullable WireRequest request = read(in);
        if (request == null) {
          return;
        }
        handler.handle(request, exchange);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      // A test breaks connections on purpose; what matters shows in what the server does then.
    } finally {
      open.remove(socket);
    }
  }

  private static @Nullable WireRequest read(InputStream in) throws IOException {
    @Nullable String first = line(in);
    if (first == null) {
      return null;
    }
    String[] words = first.split(" ", 3);
    Map<String, String> headers = new TreeMap<>();
    for (@Nullable String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).strip().toLowerCase(Locale.ROOT),
          line.substring(colon + 1).strip());
    }
    byte[] body = body(in, headers);
    return new WireRequest(
        words[0], words[1], headers, new WireRequest.Body(body), System.nanoTime());
  }

  private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
    if (!headers.getOrDefault("transfer-encoding", "").contains("chunked")) {
      return in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (true) {
      @Nullable String size = line(in);
      if (size == null) {
        throw new EOFException("cut in a chunked body");
      }
      int length = Integer.parseInt(size.strip(), 16);
      all.writeBytes(in.readNBytes(length));
      line(in);
      if (length == 0) {
        return all.toByteArray();
      }
    }
  }

  private static @Nullable String line(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        return null;
      }
      if (c != '\r') {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }
}
