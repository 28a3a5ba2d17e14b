package dev.holdfast.kit.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A platform's HTTP API that answers as a test wants, and keeps what it was asked. */
public final class HttpDouble implements AutoCloseable {
  static {
    // Else the JDK's server waits 40 ms between the head and the body of an answer.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final Function<Asked, Said> answers;

  /**
   * A request.
   *
   * @param headers by lower-case name, of repeated ones the first
   */
  public record Asked(String method, String path, Map<String, String> headers, String body) {}

  /**
   * An answer.
   *
   * @param status 0: none, the connection breaks
   */
  public record Said(int status, Map<String, String> headers, String body) {
    public static Said json(int status, String body) {
      return new Said(status, Map.of("content-type", "application/json"), body);
    }

    /** Breaks the connection after the request was read. */
    public static Said nothing() {
      return new Said(0, Map.of(), "");
    }
  }

  public HttpDouble(Function<Asked, Said> answers) {
    this.answers = answers;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  /** Its address without a slash at its end. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** In the order of their arrival. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    Map<String, String> headers = new TreeMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    Asked request =
        new Asked(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            headers,
            new String(body, StandardCharsets.UTF_8));
    asked.add(request);
    Said said = answers.apply(request);
    try (exchange) {
      if (said.status() != 0) {
        byte[] bytes = said.body().getBytes(StandardCharsets.UTF_8);
        said.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
        exchange.sendResponseHeaders(said.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
