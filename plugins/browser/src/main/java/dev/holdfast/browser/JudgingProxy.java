package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * The only way out for the browser: an HTTP proxy on loopback that has each address judged and
 * connects to the very address that was judged. So it does not matter whether a request comes from
 * the model, a redirect, a picture or a script, nor what a name stands for a moment later.
 *
 * <p>A connection carries one request, or one tunnel: another request on it would reach the host of
 * the first.
 */
final class JudgingProxy implements AutoCloseable {
  private static final int HEAD_BYTES_MAX = 64 * 1024;
  private static final int CONNECTIONS_MAX = 256;
  private static final int CONNECT_MILLIS = 5_000;
  private static final int SILENCE_MILLIS = 60_000;
  private static final Duration ACCEPT_PAUSE = Duration.ofMillis(100);
  private static final Set<String> HOP =
      Set.of("connection", "proxy-connection", "keep-alive", "proxy-authorization", "upgrade");

  private final PluginContext context;
  private final ServerSocket server;
  private final Set<Socket> sockets;
  private final Semaphore places = new Semaphore(CONNECTIONS_MAX);

  /**
   * @param sockets gets those that are open, of both sides; concurrent
   */
  JudgingProxy(PluginContext context, ServerSocket server, Set<Socket> sockets) {
    this.context = context;
    this.server = server;
    this.sockets = sockets;
  }

  /** On a free port of loopback; nothing is accepted before {@link #serve}. */
  static JudgingProxy open(PluginContext context) throws IOException {
    return new JudgingProxy(
        context,
        new ServerSocket(0, 128, InetAddress.getLoopbackAddress()),
        ConcurrentHashMap.newKeySet());
  }

  int port() {
    return server.getLocalPort();
  }

  /** Blocks until it is closed. */
  void serve() throws InterruptedException {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (places.tryAcquire()) {
          Thread.ofVirtual().name("browser-proxy").start(() -> serve(client));
        } else {
          client.close();
        }
      } catch (IOException _) {
        // All is closed, or there are no descriptors left, which the next try would not change.
        if (!server.isClosed()) {
          context.sleep(ACCEPT_PAUSE);
        }
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      try {
        open(client);
        handle(client);
      } finally {
        sockets.remove(client); // before the browser sees the end of it
      }
    } catch (IOException _) {
      // One of the two ends is gone; the browser sees its connection end.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      places.release();
    }
  }

  private void open(Socket socket) throws IOException {
    sockets.add(socket);
    if (server.isClosed()) {
      socket.close();
    }
    socket.setSoTimeout(SILENCE_MILLIS);
    socket.setTcpNoDelay(true);
  }

  private void handle(Socket client) throws IOException, InterruptedException {
    String head = head(client.getInputStream());
    List<String> lines = List.of(head.split("\r\n", -1));
    String[] request = lines.getFirst().split(" ", -1);
    if (request.length != 3) {
      refuse(client, "400 Bad Request", "that is no request");
      return;
    }
    boolean isTunnel = request[0].equals("CONNECT");
    String url = isTunnel ? "https://" + request[1] : request[1];
    InetSocketAddress to;
    try {
      to = context.http().judge(url);
    } catch (CallFailedException e) {
      refuse(client, "403 Forbidden", e.failure().message());
      return;
    }
    Socket other = new Socket();
    try (other) {
      open(other);
      other.connect(to, CONNECT_MILLIS);
      if (isTunnel) {
        write(client, "HTTP/1.1 200 Connected\r\n\r\n");
        tunnel(client, other);
      } else {
        forward(client, other, request, lines);
      }
    } catch (IllegalArgumentException e) {
      refuse(client, "400 Bad Request", "that is no request");
    } finally {
      sockets.remove(other);
    }
  }

  private static void tunnel(Socket client, Socket other) throws IOException, InterruptedException {
    Thread back =
        Thread.ofVirtual()
            .name("browser-proxy-back")
            .start(
                () -> {
                  try (client;
                      other) {
                    long _ = other.getInputStream().transferTo(client.getOutputStream());
                  } catch (IOException _) {
                    // The other direction ends with it.
                  }
                });
    try {
      long _ = client.getInputStream().transferTo(other.getOutputStream());
      other.shutdownOutput();
    } finally {
      back.join();
    }
  }

  /** One request with its body, and all of the answer, which is made the last of its connection. */
  private static void forward(Socket client, Socket other, String[] request, List<String> lines)
      throws IOException {
    URI uri = URI.create(request[1]);
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    String first = request[0] + " " + path + query + " HTTP/1.1\r\n";
    if (lines.stream().anyMatch(line -> is(line, "transfer-encoding"))) {
      refuse(client, "411 Length Required", "a body needs its length");
      return;
    }
    write(other, first + kept(lines));
    long length =
        lines.stream()
            .filter(line -> is(line, "content-length"))
            .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
            .findFirst()
            .orElse(0);
    copy(client.getInputStream(), other.getOutputStream(), length);
    String answer = head(other.getInputStream());
    while (answer.matches("(?s)HTTP/1\\.[01] 1\\d\\d.*")) {
      answer = head(other.getInputStream());
    }
    List<String> answered = Arrays.asList(answer.split("\r\n", -1));
    write(client, answered.getFirst() + "\r\n" + kept(answered));
    long _ = other.getInputStream().transferTo(client.getOutputStream());
  }

  private static String kept(List<String> lines) {
    return lines.stream()
        .skip(1)
        .filter(line -> HOP.stream().noneMatch(name -> is(line, name)))
        .map(line -> line + "\r\n")
        .collect(Collectors.joining("", "", "Connection: close\r\n\r\n"));
  }

  private static boolean is(String line, String name) {
    return line.toLowerCase(Locale.ROOT).startsWith(name + ":");
  }

  private static void copy(InputStream in, OutputStream out, long length) throws IOException {
    byte[] buffer = new byte[16 * 1024];
    for (long left = length; left > 0; ) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        throw new IOException("the body is cut off");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
    out.flush();
  }

  /** Up to the empty line, which is not part of it. */
  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int next = in.read();
      if (next < 0 || bytes.size() == HEAD_BYTES_MAX) {
        throw new IOException("there is no whole head");
      }
      bytes.write(next);
      boolean isNext = next == (matched % 2 == 0 ? '\r' : '\n');
      matched = isNext ? matched + 1 : next == '\r' ? 1 : 0;
    }
    return bytes.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  private static void refuse(Socket client, String status, String why) throws IOException {
    byte[] body = why.getBytes(StandardCharsets.UTF_8);
    write(
        client,
        "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            .formatted(status, body.length));
    client.getOutputStream().write(body);
    client.getOutputStream().flush();
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException _) {
      // It takes nobody any more.
    }
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException _) {
        // It was closed by the other end.
      }
    }
  }
}
