package dev.holdfast.tests.channels;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/** Passes requests on, and harms the answers as a test wants. Keeps what it has passed on. */
final class GithubRelay implements AutoCloseable {
  private static final List<String> HOP_BY_HOP =
      List.of("connection", "content-length", "date", "keep-alive", "transfer-encoding");
  private static final List<String> SENT =
      List.of(
          "accept",
          "authorization",
          "content-type",
          "if-none-match",
          "user-agent",
          "x-github-delivery",
          "x-github-event",
          "x-hub-signature-256");

  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpServer server;
  private final String target;
  private final List<Passed> passed = new CopyOnWriteArrayList<>();
  private final AtomicBoolean losesPost = new AtomicBoolean();

  /** A request; {@code headers}: by lower-case name, of repeated ones the first. */
  @SuppressWarnings("ArrayRecordComponent") // the bytes as they came: they are what was signed
  record Passed(String method, String path, Map<String, String> headers, byte[] body) {
    boolean isPost() {
      return method.equals("POST") && path.endsWith("/comments");
    }
  }

  /** {@code target}: without a slash at its end. */
  GithubRelay(String target) {
    this.target = target;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The next comment is written, and who wrote it gets no answer. */
  void loseNextAnswer() {
    losesPost.set(true);
  }

  List<Passed> passed() {
    return List.copyOf(passed);
  }

  /** How many requests begin so. */
  long count(String method, String path) {
    return passed.stream()
        .filter(each -> each.method().equals(method) && each.path().startsWith(path))
        .count();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new TreeMap<>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
      Passed request =
          new Passed(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              headers,
              exchange.getRequestBody().readAllBytes());
      passed.add(request);
      HttpResponse<byte[]> answer = pass(request);
      if (request.isPost() && losesPost.compareAndSet(true, false)) {
        return; // the connection breaks
      }
      answer
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!name.startsWith(":") && !HOP_BY_HOP.contains(name)) {
                  exchange.getResponseHeaders().put(name, values);
                }
              });
      exchange.sendResponseHeaders(
          answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
      exchange.getResponseBody().write(answer.body());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private HttpResponse<byte[]> pass(Passed request) throws IOException, InterruptedException {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(target + request.path()))
            .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
    request.headers().entrySet().stream()
        .filter(header -> SENT.contains(header.getKey()))
        .forEach(header -> builder.header(header.getKey(), header.getValue()));
    return client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  @Override
  public void close() {
    server.stop(0);
    client.close();
  }
}
