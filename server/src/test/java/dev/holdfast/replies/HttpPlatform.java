package dev.holdfast.replies;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A platform on a real socket that misbehaves on demand: one behaviour for each request, then it
 * takes everything.
 */
final class HttpPlatform implements AutoCloseable {
  private final ServerSocket server;
  private final Queue<Behaviour> script = new ConcurrentLinkedQueue<>();
  private final List<Post> posts = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** What the platform received. */
  record Post(Map<String, String> headers, String body) {
    String id() {
      return headers.getOrDefault("webhook-id", "");
    }
  }

  /** How it answers. */
  enum Behaviour {
    OK("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"),
    CUT_BODY("HTTP/1.1 200 OK\r\ncontent-length: 200\r\nconnection: close\r\n\r\nok"),
    RESET(""),
    CUT_HEAD("HTTP/1.1 200"),
    HANG(""),
    GATEWAY_TIMEOUT(
        "HTTP/1.1 504 Gateway Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    BUSY(
        "HTTP/1.1 429 Too Many\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    BUSY_LONG(
        "HTTP/1.1 429 Too Many\r\nretry-after: 7200\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    GONE("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");

    private final String answer;

    Behaviour(String answer) {
      this.answer = answer;
    }
  }

  HttpPlatform() throws IOException {
    this(0);
  }

  HttpPlatform(int port) throws IOException {
    server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port() + "/in";
  }

  HttpPlatform next(Behaviour... behaviours) {
    script.addAll(List.of(behaviours));
    return this;
  }

  List<Post> posts() {
    synchronized (posts) {
      return List.copyOf(posts);
    }
  }

  List<String> ids() {
    return posts().stream().map(Post::id).toList();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException _) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      Post post = read(socket.getInputStream());
      synchronized (posts) {
        posts.add(post);
      }
      Behaviour behaviour = script.poll();
      if (behaviour == Behaviour.HANG) {
        closed.await();
      } else if (behaviour == Behaviour.RESET) {
        socket.setSoLinger(true, 0);
      } else {
        OutputStream out = socket.getOutputStream();
        String answer = behaviour == null ? Behaviour.OK.answer : behaviour.answer;
        out.write(answer.getBytes(StandardCharsets.US_ASCII));
        out.flush();
      }
    } catch (IOException | InterruptedException _) {
      // The other side is gone, which is what these tests are about.
    }
  }

  private static Post read(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int unit = in.read();
      if (unit < 0) {
        throw new IOException("cut in the head");
      }
      head.append((char) unit);
    }
    Map<String, String> headers = new HashMap<>();
    head.toString()
        .lines()
        .skip(1)
        .filter(line -> line.contains(":"))
        .forEach(
            line ->
                headers.put(
                    line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT),
                    line.substring(line.indexOf(':') + 1).strip()));
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    return new Post(headers, new String(in.readNBytes(length), StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    server.close();
  }
}
