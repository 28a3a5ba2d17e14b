package dev.holdfast.extensions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A remote server of the Model Context Protocol: well-behaved unless it is asked not to be. Tools
 * named like a misdeed do it when they are called.
 */
final class RemoteServer implements AutoCloseable {
  static final String TOKEN = "t0ken-of-the-remote";

  private static final List<String> NAMES =
      List.of(
          "echo",
          "stream",
          "endless",
          "silent",
          "garbage",
          "long",
          "wrong",
          "limited",
          "broken",
          "cut",
          "lost",
          "big",
          "empty",
          "change",
          "huge",
          "flood",
          "aborted",
          "denied",
          "ask",
          "form",
          "paused",
          "moved",
          "unreadable");
  private static final String END = "\n\n";

  final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
  final Map<String, String> lastHeaders = new ConcurrentHashMap<>();
  final LinkedBlockingQueue<JsonObject> answersFromClient = new LinkedBlockingQueue<>();
  final CountDownLatch silentCallGone = new CountDownLatch(1);

  private final Set<String> flags;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<String> sessions = ConcurrentHashMap.newKeySet();
  private final AtomicInteger made = new AtomicInteger();
  private final LinkedBlockingQueue<String> announcements = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<JsonObject> resumed = new LinkedBlockingQueue<>();
  private volatile boolean hasChanged;

  RemoteServer(String... flags) throws IOException {
    this(0, flags);
  }

  RemoteServer(int port, String... flags) throws IOException {
    this.flags = Set.of(flags);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
    server.setExecutor(threads);
    server.createContext("/mcp", this::handle);
    server.createContext(
        "/moved",
        exchange -> {
          exchange.getResponseHeaders().add("Location", "/mcp");
          answer(exchange, 308, "", "");
        });
    server.createContext(
        "/elsewhere",
        exchange -> {
          exchange.getResponseHeaders().add("Location", "http://127.0.0.2:9/mcp");
          answer(exchange, 307, "", "");
        });
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** The lines of holdfast.yaml that declare it. */
  String entry(String id, String more) {
    return entry(id, "/mcp", TOKEN, more);
  }

  String entry(String id, String path, String token, String more) {
    return ("- id: %s\n  url: http://127.0.0.1:%d%s\n  headers: {Authorization: \"Bearer %s\"}\n"
            + "  restart: {initial_backoff_ms: 20, max_backoff_ms: 40}\n%s")
        .formatted(id, port(), path, token, more);
  }

  void forgetSessions() {
    sessions.clear();
  }

  int sessionsMade() {
    return made.get();
  }

  boolean hasSessions() {
    return !sessions.isEmpty();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    lastHeaders.clear();
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) ->
                lastHeaders.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
    if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      seen.add("401");
      answer(exchange, 401, "", "");
      return;
    }
    try {
      switch (exchange.getRequestMethod()) {
        case "POST" -> post(exchange, new JsonObject(body));
        case "GET" -> get(exchange);
        case "DELETE" -> {
          seen.add("DELETE");
          sessions.remove(session(exchange));
          answer(exchange, 200, "", "");
        }
        default -> answer(exchange, 405, "", "");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static String session(HttpExchange exchange) {
    String given = exchange.getRequestHeaders().getFirst("Mcp-Session-Id");
    return given == null ? "" : given;
  }

  private boolean is(String flag) {
    return flags.contains(flag);
  }

  private void post(HttpExchange exchange, JsonObject message)
      throws IOException, InterruptedException {
    String method = message.getString("method", "answer");
    seen.add(method);
    if (!is("modern") && !method.equals("initialize") && !sessions.contains(session(exchange))) {
      json(exchange, 404, error(null, -32001, "no such session"));
      return;
    }
    if (message.getValue("id") == null || method.equals("answer")) {
      if (method.equals("answer")) {
        answersFromClient.add(message);
      }
      answer(exchange, 202, "", "");
      return;
    }
    Object id = message.getValue("id");
    if (is("modern") && method.equals("initialize")) {
      json(exchange, 400, error(null, -32022, "unsupported version"));
      return;
    }
    if (is("modern")
        && !("2026-07-28".equals(lastHeaders.get("mcp-protocol-version"))
            && method.equals(lastHeaders.get("mcp-method")))) {
      json(exchange, 400, error(id, -32020, "headers do not match"));
      return;
    }
    switch (method) {
      case "initialize" -> {
        String session = "session-" + made.incrementAndGet();
        sessions.add(session);
        exchange.getResponseHeaders().add("Mcp-Session-Id", session);
        json(
            exchange,
            200,
            result(
                id,
                new JsonObject()
                    .put("protocolVersion", "2025-06-18")
                    .put("capabilities", new JsonObject())
                    .put("serverInfo", new JsonObject().put("name", "far").put("version", "1"))));
      }
      case "server/discover" ->
          json(
              exchange,
              200,
              result(
                  id,
                  new JsonObject().put("supportedVersions", new JsonArray().add("2026-07-28"))));
      case "subscriptions/listen" -> announce(exchange);
      case "ping" -> {
        if (is("no-ping")) {
          answer(exchange, 500, "", "");
        } else {
          json(exchange, 200, result(id, new JsonObject()));
        }
      }
      case "tools/list" -> json(exchange, 200, result(id, listed()));
      case "tools/call" -> call(exchange, message);
      default -> json(exchange, 404, error(id, -32601, "unknown"));
    }
  }

  private JsonObject listed() {
    JsonArray tools = new JsonArray();
    NAMES.forEach(
        name ->
            tools.add(
                new JsonObject()
                    .put("name", name)
                    .put("inputSchema", new JsonObject().put("type", "object"))));
    JsonObject region = new JsonObject().put("type", "string").put("x-mcp-header", "Region");
    tools.add(
        new JsonObject()
            .put("name", "mirrored")
            .put(
                "inputSchema",
                new JsonObject()
                    .put("type", "object")
                    .put("properties", new JsonObject().put("region", region))));
    tools.add(
        new JsonObject()
            .put("name", "mismarked")
            .put(
                "inputSchema",
                new JsonObject()
                    .put("type", "object")
                    .put(
                        "properties",
                        new JsonObject().put("region", region.copy().put("x-mcp-header", "")))));
    if (hasChanged) {
      tools.add(
          new JsonObject()
              .put("name", "grown")
              .put("inputSchema", new JsonObject().put("type", "object")));
    }
    return new JsonObject().put("tools", tools);
  }

  private void call(HttpExchange exchange, JsonObject message)
      throws IOException, InterruptedException {
    Object id = message.getValue("id");
    JsonObject parameters = message.getJsonObject("params");
    String name = parameters.getString("name");
    JsonObject answer = result(id, text("far " + name));
    switch (name) {
      case "stream" -> {
        JsonObject progress =
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("method", "notifications/progress")
                .put(
                    "params",
                    new JsonObject()
                        .put(
                            "progressToken",
                            parameters.getJsonObject("_meta").getValue("progressToken"))
                        .put("progress", 1)
                        .put("message", "half"));
        try (OutputStream out = stream(exchange)) {
          write(out, ": a comment\n\ndata: " + progress.encode() + END);
          write(out, "event: message\ndata: " + answer.encode() + END);
        }
      }
      case "endless" -> {
        try (OutputStream out = stream(exchange)) {
          write(out, "data: " + answer.encode() + END);
          flood(out, ": still here\n\n");
        }
      }
      case "silent" -> {
        try (OutputStream out = stream(exchange)) {
          flood(out, ": nothing yet\n\n");
        } catch (IOException e) {
          silentCallGone.countDown();
          throw e;
        }
      }
      case "garbage" -> {
        try (OutputStream out = stream(exchange)) {
          write(out, "data: no JSON\n\n\0\0\r\n:\nnonsense\ndata\ndata: [1]\n\nretry: soon\n\n");
          write(out, "data: " + answer.encode() + END);
        }
      }
      case "flood" -> {
        try (OutputStream out = stream(exchange)) {
          flood(out, "data: no JSON\n\n");
        }
      }
      case "long" -> {
        try (OutputStream out = stream(exchange)) {
          write(out, "data: ");
          String part = "x".repeat(1_000_000);
          for (int i = 0; i < 100; i++) {
            write(out, part);
          }
          write(out, END);
        }
      }
      case "huge" -> answer(exchange, 200, "application/json", "[" + "1,".repeat(20_000_000));
      case "wrong" -> {
        try (OutputStream out = stream(exchange)) {
          write(out, "data: " + result(4711, text("of another")).encode() + END);
          write(out, "data: " + result("x", text("of another")).encode() + END);
          write(out, "data: " + answer.encode() + END);
        }
      }
      case "limited" -> {
        exchange.getResponseHeaders().add("Retry-After", "600");
        answer(exchange, 429, "", "");
      }
      case "paused" -> {
        exchange.getResponseHeaders().add("Retry-After", "20");
        answer(exchange, 429, "", "");
      }
      case "broken" -> answer(exchange, 500, "text/html", "<html>no</html>");
      case "denied" -> answer(exchange, 403, "", "");
      case "big" -> {
        JsonObject big = result(id, text("x".repeat(8_000_000)));
        if (parameters.getJsonObject("arguments").getBoolean("streamed", false)) {
          try (OutputStream out = stream(exchange)) {
            write(out, "data: " + big.encode() + END);
          }
        } else {
          json(exchange, 200, big);
        }
      }
      case "empty" -> answer(exchange, 202, "", "");
      case "moved" -> {
        exchange.getResponseHeaders().add("Location", "http://127.0.0.2:9/mcp");
        answer(exchange, 307, "", "");
      }
      case "unreadable" ->
          answer(
              exchange,
              200,
              "application/json",
              "{\"jsonrpc\":\"2.0\",\"id\":"
                  + id
                  + ",\"result\":{\"n\":1"
                  + "0".repeat(1000)
                  + "}}");
      case "aborted" -> {
        OutputStream out = stream(exchange);
        write(out, "data: {\"jsonrpc\":");
        exchange.close();
      }
      case "cut" -> {
        resumed.add(answer);
        try (OutputStream out = stream(exchange)) {
          write(out, "id: point-1\nretry: 100\ndata: \n\n");
        }
      }
      case "lost" -> {
        try (OutputStream out = stream(exchange)) {
          write(out, ": no point to go on from\n\n");
        }
      }
      case "change" -> {
        hasChanged = true;
        announcements.add("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        json(exchange, 200, answer);
      }
      case "ask" -> {
        announcements.add(
            "{\"jsonrpc\":\"2.0\",\"id\":\"mine\",\"method\":\"sampling/createMessage\"}");
        json(exchange, 200, answer);
      }
      case "form" -> {
        JsonObject form =
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", "form")
                .put("method", "elicitation/create")
                .put("params", parameters.getJsonObject("arguments"));
        try (OutputStream out = stream(exchange)) {
          write(out, "data: " + form.encode() + END);
          JsonObject told = answersFromClient.take();
          write(out, "data: " + result(id, text(told.encode())).encode() + END);
        }
      }
      default -> json(exchange, 200, answer);
    }
  }

  private void get(HttpExchange exchange) throws IOException, InterruptedException {
    String from = exchange.getRequestHeaders().getFirst("Last-Event-ID");
    seen.add(from == null ? "GET" : "GET from " + from);
    if (from != null) {
      try (OutputStream out = stream(exchange)) {
        write(out, "id: point-2\ndata: " + resumed.take().encode() + END);
      }
    } else if (is("get-closed")) {
      stream(exchange).close();
    } else if (is("get-busy")) {
      answer(exchange, 503, "", "");
    } else if (is("get-paused")) {
      exchange.getResponseHeaders().add("Retry-After", "90");
      answer(exchange, 429, "", "");
    } else if (is("modern") || is("no-stream")) {
      answer(exchange, 405, "", "");
    } else {
      announce(exchange);
    }
  }

  private void announce(HttpExchange exchange) throws IOException, InterruptedException {
    try (OutputStream out = stream(exchange)) {
      while (true) {
        write(out, "data: " + announcements.take() + END);
      }
    }
  }

  private static void flood(OutputStream out, String part) throws IOException {
    while (true) {
      write(out, part);
    }
  }

  private static OutputStream stream(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream; charset=utf-8");
    exchange.sendResponseHeaders(200, 0);
    return exchange.getResponseBody();
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void json(HttpExchange exchange, int status, JsonObject body) throws IOException {
    answer(exchange, status, "application/json", body.encode());
  }

  private static void answer(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    if (!type.isEmpty()) {
      exchange.getResponseHeaders().add("Content-Type", type);
    }
    try (exchange) {
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) {
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  private static JsonObject text(String value) {
    return new JsonObject()
        .put(
            "content",
            new JsonArray().add(new JsonObject().put("type", "text").put("text", value)));
  }

  private static JsonObject result(Object id, JsonObject result) {
    return new JsonObject().put("jsonrpc", "2.0").put("id", id).put("result", result);
  }

  private static JsonObject error(
      @org.jspecify.annotations.Nullable Object id, int code, String message) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", id)
        .put("error", new JsonObject().put("code", code).put("message", message));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
