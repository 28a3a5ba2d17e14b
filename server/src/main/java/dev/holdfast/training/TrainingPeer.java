package dev.holdfast.training;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a server in training talks to, on loopback: a chat platform that takes replies, and a model
 * provider in the OpenAI shape that is away at first. Thread-safe.
 */
final class TrainingPeer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** In the text of a message: the model is to call a tool before it answers. */
  static final String WITH_TOOLS = "with tools";

  private static final String ANSWER =
      "Here is an **answer** of the usual length, with `code` and a [link](https://example.org/):\n\n"
          + "1. The first point says what was asked.\n2. The second one adds to it.\n\nThat is all.";

  private static final int PIECE_UNITS = 24;
  private static final String DONE = "data: [DONE]\n\n";

  /** What the model calls, in turn. */
  private record Call(String tool, String arguments) {}

  private static final List<Call> TOOLS =
      List.of(
          new Call("remember", "{\"text\": \"The person likes short answers.\"}"),
          new Call("recall", "{}"),
          new Call("write_file", "{\"path\": \"notes.txt\", \"content\": \"one\\ntwo\\n\"}"),
          new Call("read_file", "{\"path\": \"notes.txt\"}"),
          new Call("list_files", "{}"));

  private final HttpServer server;
  private final ConcurrentMap<String, CountDownLatch> awaited = new ConcurrentHashMap<>();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean modelIsThere;

  TrainingPeer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/replies", this::takeReply);
    server.createContext("/v1/chat/completions", this::complete);
    server.start();
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  void letModelCome() {
    modelIsThere = true;
  }

  /** To be called before the message is sent. */
  void expect(String eventId) {
    awaited.put(eventId, new CountDownLatch(1));
  }

  /** Whether the reply to the message came in time. */
  boolean awaitReply(String eventId, long seconds) throws InterruptedException {
    try {
      return Optional.ofNullable(awaited.get(eventId))
          .orElseThrow()
          .await(seconds, TimeUnit.SECONDS);
    } finally {
      awaited.remove(eventId);
    }
  }

  private void takeReply(HttpExchange exchange) throws IOException {
    JsonNode reply = JSON.readTree(exchange.getRequestBody().readAllBytes());
    answer(exchange, 200, "application/json", List.of("{}"));
    Optional.ofNullable(awaited.get(reply.path("in_reply_to").asText()))
        .ifPresent(CountDownLatch::countDown);
  }

  private void complete(HttpExchange exchange) throws IOException {
    JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
    if (!modelIsThere) {
      String error = "{\"error\": {\"type\": \"server_error\", \"message\": \"away\"}}";
      answer(exchange, 503, "application/json", List.of(error));
      return;
    }
    JsonNode messages = request.path("messages");
    JsonNode last = messages.path(messages.size() - 1);
    boolean calls =
        last.path("role").asText().equals("user")
            && last.toString().contains(WITH_TOOLS)
            && !request.path("tools").isEmpty();
    answer(exchange, 200, "text/event-stream", calls ? toolCall() : words());
  }

  private List<String> toolCall() {
    int number = calls.incrementAndGet();
    Call call = TOOLS.get(number % TOOLS.size());
    ObjectNode delta = JSON.createObjectNode().put("role", "assistant");
    ObjectNode wanted = delta.putArray("tool_calls").addObject().put("index", 0);
    wanted
        .put("id", "call_" + number)
        .put("type", "function")
        .putObject("function")
        .put("name", call.tool())
        .put("arguments", call.arguments());
    return List.of(chunk(delta, ""), chunk(JSON.createObjectNode(), "tool_calls"), usage(), DONE);
  }

  private static List<String> words() {
    List<String> pieces = new ArrayList<>();
    for (int at = 0; at < ANSWER.length(); at += PIECE_UNITS) {
      String piece = ANSWER.substring(at, Math.min(ANSWER.length(), at + PIECE_UNITS));
      pieces.add(chunk(JSON.createObjectNode().put("role", "assistant").put("content", piece), ""));
    }
    pieces.add(chunk(JSON.createObjectNode(), "stop"));
    pieces.add(usage());
    pieces.add(DONE);
    return pieces;
  }

  private static ObjectNode head() {
    return JSON.createObjectNode()
        .put("id", "c")
        .put("object", "chat.completion.chunk")
        .put("created", 1)
        .put("model", "training");
  }

  /** {@code finish}: empty for none. */
  private static String chunk(ObjectNode delta, String finish) {
    ObjectNode chunk = head();
    ObjectNode choice = chunk.putArray("choices").addObject().put("index", 0);
    choice.set("delta", delta);
    choice.put("finish_reason", finish.isEmpty() ? null : finish);
    return "data: " + chunk + "\n\n";
  }

  private static String usage() {
    ObjectNode chunk = head();
    chunk.putArray("choices");
    chunk
        .putObject("usage")
        .put("prompt_tokens", 11)
        .put("completion_tokens", 7)
        .put("total_tokens", 18);
    return "data: " + chunk + "\n\n";
  }

  private static void answer(HttpExchange exchange, int status, String type, List<String> pieces)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, 0);
    try (OutputStream body = exchange.getResponseBody()) {
      for (String piece : pieces) {
        body.write(piece.getBytes(StandardCharsets.UTF_8));
        body.flush();
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
