package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Slack with one workspace and one app, as its documentation has it: the Web API and Socket Mode.
 * What was not acknowledged comes again with the next socket. Thread-safe.
 */
public final class SlackDouble implements AutoCloseable {
  public static final String BOT_TOKEN = "xoxb-canary-of-slack";
  public static final String APP_TOKEN = "xapp-canary-of-slack";

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final List<ServerWebSocket> sockets = new ArrayList<>();

  /** Frames that were not acknowledged, by envelope. */
  private final Map<String, String> open = new LinkedHashMap<>();

  /** What the app has posted, by its {@code ts}. */
  private final Map<String, ObjectNode> posts = new LinkedHashMap<>();

  /** What people wrote while the app had no socket, by channel. */
  private final Map<String, List<ObjectNode>> unheard = new LinkedHashMap<>();

  /** The conversation that was written in last. */
  private String channel = "";

  /** What only one person sees, by the person. */
  private final Map<String, List<String>> whispers = new LinkedHashMap<>();

  private int deliveries;
  private int lookUps;
  private int calls;
  private int presses;

  /** Of messages, in seconds; it runs ahead when there are many. */
  private long clock = Instant.now().minusSeconds(600).getEpochSecond();

  private boolean losesNext;
  private Random random = new Random(0);
  private int losePercent;
  private Consumer<String> acknowledgement = _ -> {};

  /** What every call is refused with; empty while none is. */
  private String refusal = "";

  /** For how long posts are refused. */
  private long limitSecs;

  public SlackDouble() {
    server =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .webSocketHandler(this::open)
            .requestHandler(
                request -> request.body().onSuccess(body -> answer(request, body.toString())))
            .listen()
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
  }

  /** Forgets what was posted, and refuses nothing any more. */
  public synchronized void reset() {
    posts.clear();
    unheard.clear();
    refusal = "";
    limitSecs = 0;
    losesNext = false;
    lookUps = 0;
  }

  public String baseUrl() {
    return "http://127.0.0.1:" + server.actualPort() + "/api";
  }

  private synchronized void open(ServerWebSocket socket) {
    sockets.add(socket);
    socket.textMessageHandler(this::acknowledged);
    socket.closeHandler(_ -> closed(socket));
    socket.writeTextMessage("{\"type\":\"hello\",\"num_connections\":" + sockets.size() + "}");
    open.values().forEach(frame -> deliver(socket, frame));
  }

  private synchronized void closed(ServerWebSocket socket) {
    sockets.remove(socket);
  }

  private synchronized void acknowledged(String frame) {
    String id = Json.read(frame).path("envelope_id").asText();
    if (open.remove(id) != null) {
      acknowledgement.accept(id);
    }
  }

  private void deliver(ServerWebSocket socket, String frame) {
    deliveries++;
    socket.writeTextMessage(frame);
  }

  /** Somebody writes directly to the app, each time another person. */
  public synchronized void say(String text) {
    String _ = say("D" + (clock + 1), "U" + (clock + 1), text, _ -> {});
  }

  /**
   * One of some people writes directly to the app.
   *
   * @return the key by which the server knows the message
   */
  public String say(int person, String text) {
    return say(person, text, _ -> {});
  }

  /**
   * The same.
   *
   * @param before is told the key before the message is delivered
   */
  public synchronized String say(int person, String text, Consumer<String> before) {
    return say("D" + person, "U" + person, text, before);
  }

  private String say(String direct, String user, String text, Consumer<String> before) {
    clock++;
    channel = direct;
    String ts = clock + ".000001";
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("type", "message");
    event.put("channel_type", "im");
    event.put("channel", direct);
    event.put("user", user);
    event.put("ts", ts);
    event.put("text", text);
    Map<String, Object> payload =
        Map.of("type", "event_callback", "team_id", "T1", "event_id", "Ev" + clock, "event", event);
    String id = direct + ":" + ts;
    before.accept(id);
    String frame =
        Json.write(Json.of(Map.of("envelope_id", id, "type", "events_api", "payload", payload)));
    open.put(id, frame);
    if (!sockets.isEmpty()) {
      deliver(sockets.getLast(), frame);
    }
    return id;
  }

  /** What stands in the conversation with one of some people, with its buttons. */
  public synchronized List<Card> cards(int person) {
    return posts.values().stream()
        .filter(post -> post.path("channel").asText().equals("D" + person))
        .map(SlackDouble::card)
        .toList();
  }

  private static Card card(ObjectNode post) {
    Map<String, String> tokens = new LinkedHashMap<>();
    for (JsonNode block : post.path("blocks")) {
      for (JsonNode button : block.path("elements")) {
        tokens.put(button.path("text").path("text").asText(), button.path("value").asText());
      }
    }
    return new Card(post.path("ts").asText(), post.path("text").asText(), tokens);
  }

  /**
   * One of some people presses a button. Slack sends it once: who sees nothing presses again.
   *
   * @return false when the app has no socket
   */
  public synchronized boolean press(int person, Card card, String label) {
    if (sockets.isEmpty()) {
      return false;
    }
    presses++;
    String direct = "D" + person;
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("type", "block_actions");
    payload.put("team", Map.of("id", "T1"));
    payload.put("user", Map.of("id", "U" + person));
    payload.put("channel", Map.of("id", direct));
    payload.put(
        "container", Map.of("type", "message", "channel_id", direct, "message_ts", card.id()));
    payload.put(
        "actions",
        List.of(
            Map.of(
                "type", "button", "action_id", actionOf(card, label), "value", card.token(label))));
    deliver(
        sockets.getLast(),
        Json.write(
            Json.of(
                Map.of(
                    "envelope_id", "press" + presses, "type", "interactive", "payload", payload))));
    return true;
  }

  private String actionOf(Card card, String label) {
    for (JsonNode block : posts.getOrDefault(card.id(), Json.object()).path("blocks")) {
      for (JsonNode button : block.path("elements")) {
        if (button.path("text").path("text").asText().equals(label)) {
          return button.path("action_id").asText();
        }
      }
    }
    return "holdfast_choice_0"; // an old screen: the button is gone meanwhile
  }

  /** What only this person was told. */
  public synchronized List<String> whispers(int person) {
    return List.copyOf(whispers.getOrDefault("U" + person, List.of()));
  }

  /** Somebody writes in a conversation that the app has, and Slack has given up telling it. */
  public synchronized void sayUnheard(String text) {
    clock++;
    ObjectNode message = Json.object();
    message.put("type", "message").put("user", "U1").put("ts", clock + ".000001").put("text", text);
    unheard.computeIfAbsent(channel, _ -> new ArrayList<>()).add(message);
  }

  /** Every call is refused with the error from now on, and no socket stays. */
  public synchronized void refuseAll(String error) {
    refusal = error;
    List.copyOf(sockets).forEach(ServerWebSocket::close);
  }

  /** Posts are too many, for so long. */
  public synchronized void limitPosts(Duration limit) {
    limitSecs = limit.toSeconds();
  }

  /** All calls so far. */
  public synchronized int calls() {
    return calls;
  }

  /** What is told the key of each message that is acknowledged from now on. */
  public synchronized void onAcknowledged(Consumer<String> told) {
    acknowledgement = told;
  }

  /** Ends the newest socket as Slack does when it refreshes one. */
  public synchronized void refresh() {
    sockets
        .getLast()
        .writeTextMessage("{\"type\":\"disconnect\",\"reason\":\"refresh_requested\"}");
  }

  /** What stands in the conversation with one of some people, in the order of the posts. */
  public synchronized List<String> shown(int person) {
    return posts.values().stream()
        .filter(post -> post.path("channel").asText().equals("D" + person))
        .map(post -> post.path("text").asText())
        .toList();
  }

  /** From now on some replies are posted, and their answers lost. */
  public synchronized void loseAnswers(Random by, int percent) {
    random = by;
    losePercent = percent;
  }

  /** The next reply is posted, and its answer lost. */
  public synchronized void loseNextAnswer() {
    losesNext = true;
  }

  public synchronized boolean hasSocket() {
    return !sockets.isEmpty();
  }

  public synchronized boolean isAllAcknowledged() {
    return open.isEmpty();
  }

  public synchronized int deliveries() {
    return deliveries;
  }

  public synchronized int lookUps() {
    return lookUps;
  }

  /** What stands in the conversation now, in the order of the posts. */
  public synchronized List<String> texts() {
    return posts.values().stream().map(post -> post.path("text").asText()).toList();
  }

  private synchronized void answer(HttpServerRequest request, String body) {
    Map<String, String> form = form(body);
    String method = request.path().replace("/api/", "");
    String token = String.valueOf(request.getHeader("authorization"));
    String wanted = method.equals("apps.connections.open") ? APP_TOKEN : BOT_TOKEN;
    ObjectNode answer = Json.object();
    answer.put("ok", true);
    calls++;
    if (limitSecs > 0 && method.startsWith("chat.")) {
      var _ =
          request
              .response()
              .setStatusCode(429)
              .putHeader("retry-after", Long.toString(limitSecs))
              .end("{\"ok\":false,\"error\":\"ratelimited\"}");
      return;
    }
    if (!refusal.isEmpty()) {
      answer.put("ok", false).put("error", refusal);
    } else if (!token.equals("Bearer " + wanted)) {
      answer.put("ok", false).put("error", "invalid_auth");
    } else if (!does(method, form, answer)) {
      answer.put("ok", false).put("error", "unknown_method");
    }
    boolean isReply = method.equals("chat.postMessage") && form.containsKey("metadata");
    boolean isLost = losesNext || random.nextInt(100) < losePercent;
    if (isLost && (isReply || method.equals("chat.update"))) {
      losesNext = false;
      var _ = request.connection().close();
      return;
    }
    var _ =
        request.response().putHeader("content-type", "application/json").end(Json.write(answer));
  }

  private boolean does(String method, Map<String, String> form, ObjectNode answer) {
    switch (method) {
      case "auth.test" ->
          answer
              .put("user_id", "UBOT")
              .put("bot_id", "BBOT")
              .put("team_id", "T1")
              .put("team", "Acme");
      case "apps.connections.open" ->
          answer.put("url", "ws://127.0.0.1:" + server.actualPort() + "/link");
      case "chat.postMessage" -> {
        clock++;
        answer.put("ts", clock + ".000001");
        store(clock + ".000001", form);
      }
      case "chat.update" -> {
        answer.put("ts", form.getOrDefault("ts", ""));
        store(form.getOrDefault("ts", ""), form);
      }
      case "chat.delete" -> posts.remove(form.get("ts"));
      case "chat.postEphemeral" ->
          whispers
              .computeIfAbsent(form.getOrDefault("user", ""), _ -> new ArrayList<>())
              .add(form.getOrDefault("text", ""));
      case "conversations.history", "conversations.replies" -> {
        lookUps++;
        posts.values().stream()
            .filter(post -> post.path("channel").asText().equals(form.get("channel")))
            .forEach(answer.withArray("messages")::add);
        unheard
            .getOrDefault(form.getOrDefault("channel", ""), List.of())
            .forEach(answer.withArray("messages")::add);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private void store(String ts, Map<String, String> form) {
    ObjectNode post = Json.object();
    post.put("ts", ts).put("user", "UBOT").put("text", form.get("text"));
    post.put("channel", form.get("channel"));
    if (form.containsKey("metadata")) {
      JsonNode metadata = Json.read(form.get("metadata"));
      post.set("metadata", metadata);
    }
    if (form.containsKey("blocks")) {
      JsonNode blocks = Json.read(form.get("blocks"));
      post.set("blocks", blocks);
    } else if (posts.containsKey(ts)) {
      JsonNode blocks = posts.get(ts).path("blocks");
      post.set("blocks", blocks); // an edit that names none keeps them
    }
    posts.put(ts, post);
  }

  private static Map<String, String> form(String body) {
    Map<String, String> form = new LinkedHashMap<>();
    for (String pair : body.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        form.put(
            URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return form;
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
