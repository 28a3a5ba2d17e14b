package dev.holdfast.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** Answers as a server would: what a test told it to, by {@code METHOD path}. */
final class FakeServer implements AutoCloseable {
  private static final String END = "end";

  private final HttpServer server;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
  final List<String> requests = new CopyOnWriteArrayList<>();
  final List<String> lastEventIds = new CopyOnWriteArrayList<>();

  /** What is done when the request comes, and what is answered then. */
  record Answer(int status, String body, Runnable before) {}

  FakeServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.createContext("/api/v1/stream", this::stream);
    server.start();
    on(
        "GET /api/v1/status",
        200,
        "{\"version\":\"1.2\",\"ready\":true,\"counts\":{\"accepted\":3}}");
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  FakeServer on(String request, int status, String body) {
    return on(request, status, body, () -> {});
  }

  FakeServer on(String request, int status, String body, Runnable before) {
    answers.put(request, new Answer(status, body, before));
    return this;
  }

  /** Tells all who follow. */
  FakeServer tell(String id, String kind, String json) {
    news.add("id: " + id + "\nevent: " + kind + "\ndata: " + json + "\n\n");
    return this;
  }

  /** Closes the connection of the one who follows. */
  FakeServer cut() {
    news.add(END);
    return this;
  }

  @Override
  public void close() {
    server.stop(0);
    ((java.util.concurrent.ExecutorService) server.getExecutor()).shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    requests.add(body.isEmpty() ? request : request + " " + body);
    Answer answer = answers.get(request);
    boolean allowed =
        "Bearer good-token".equals(exchange.getRequestHeaders().getFirst("Authorization"));
    if (!allowed && !request.equals("GET /ready")) {
      answer = new Answer(401, "{\"error\":{\"code\":\"AUTH\",\"message\":\"no\"}}", () -> {});
    } else if (answer == null) {
      answer =
          new Answer(404, "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"unknown\"}}", () -> {});
    }
    answer.before().run();
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private void stream(HttpExchange exchange) throws IOException {
    lastEventIds.add(String.valueOf(exchange.getRequestHeaders().getFirst("Last-Event-ID")));
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(": hello\n\n".getBytes(StandardCharsets.UTF_8));
      out.flush();
      for (String item = news.take(); !item.equals(END); item = news.take()) {
        out.write(item.getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
