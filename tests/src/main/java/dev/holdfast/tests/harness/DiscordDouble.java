package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Discord with one bot, as its documentation has it: the REST API and the Gateway. A session keeps
 * its events: whoever resumes gets those after the number that it names. The history has no nonces.
 * Thread-safe.
 */
public final class DiscordDouble implements AutoCloseable {
  public static final String TOKEN = "canary.token.of.discord";
  public static final String APP = "901";

  /** A channel of a server. */
  public static final String CHANNEL = "51";

  private static final String BOT = "900";
  private static final String GUILD = "40";
  private static final String MEMBER = "9";
  private static final int BEAT_MILLIS = 6000;

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  /** The session that events go to; what it has sent, and the socket that it is connected by. */
  private String session = "";

  private final List<ObjectNode> events = new ArrayList<>();
  private @Nullable ServerWebSocket socket;

  /** Messages of all channels, by their ids. */
  private final Map<String, ObjectNode> messages = new LinkedHashMap<>();

  private final Set<String> commands = new TreeSet<>();

  /** What interactions were answered with, by their ids. */
  private final Map<String, String> answers = new LinkedHashMap<>();

  private final List<RecordedCall> calls = new ArrayList<>();
  private long clock = 2_000_000_000_000_000_000L;
  private int person;
  private int taken;
  private int losePercent;
  private Random random = new Random(1);
  private int resumes;
  private int identifies;
  private int connections;
  private int lookUps;
  private boolean losesNext;
  private boolean isSilent;
  private boolean isRevoked;
  private boolean tellsOwn = true;

  public DiscordDouble() {
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

  /** Forgets what was written, and refuses nothing any more. */
  public synchronized void reset() {
    messages.clear();
    isRevoked = false;
    losesNext = false;
    tellsOwn = true;
    lookUps = 0;
    resumes = 0;
  }

  public String baseUrl() {
    return "http://127.0.0.1:" + server.actualPort() + "/api/v10";
  }

  private String gatewayUrl() {
    return "ws://127.0.0.1:" + server.actualPort() + "/gateway";
  }

  private synchronized void open(ServerWebSocket opened) {
    connections++;
    opened.textMessageHandler(frame -> heard(opened, Json.read(frame)));
    opened.closeHandler(_ -> closed(opened));
    opened.writeTextMessage("{\"op\":10,\"d\":{\"heartbeat_interval\":" + BEAT_MILLIS + "}}");
  }

  private synchronized void closed(ServerWebSocket ended) {
    if (socket == ended) {
      socket = null;
    }
  }

  private synchronized void heard(ServerWebSocket from, JsonNode frame) {
    JsonNode data = frame.path("d");
    switch (frame.path("op").asInt()) {
      case 1 -> {
        taken = Math.max(taken, data.asInt());
        if (!isSilent) {
          from.writeTextMessage("{\"op\":11}");
        }
      }
      case 2 -> identify(from, data);
      case 6 -> resume(from, data);
      default -> throw new IllegalStateException("op " + frame);
    }
  }

  private boolean refuses(ServerWebSocket from, JsonNode data) {
    if (isRevoked || !data.path("token").asText().equals(TOKEN)) {
      var _ = from.close((short) 4004, "Authentication failed.");
      return true;
    }
    return false;
  }

  private void identify(ServerWebSocket from, JsonNode data) {
    if (refuses(from, data)) {
      return;
    }
    identifies++;
    isSilent = false;
    session = "session" + identifies;
    events.clear();
    taken = 0;
    socket = from;
    ObjectNode ready = Json.object();
    ready.put("session_id", session).put("resume_gateway_url", gatewayUrl());
    ready.putObject("user").put("id", BOT);
    dispatch("READY", ready);
  }

  private void resume(ServerWebSocket from, JsonNode data) {
    if (refuses(from, data)) {
      return;
    }
    if (!data.path("session_id").asText().equals(session)) {
      from.writeTextMessage("{\"op\":9,\"d\":false}");
      return;
    }
    resumes++;
    isSilent = false;
    socket = from;
    int seen = data.path("seq").asInt();
    taken = Math.max(taken, seen);
    events.subList(seen, events.size()).forEach(event -> from.writeTextMessage(Json.write(event)));
    dispatch("RESUMED", Json.object());
  }

  private void dispatch(String type, ObjectNode data) {
    if (session.isEmpty()) {
      return;
    }
    ObjectNode frame = Json.object();
    frame.put("op", 0).put("t", type).put("s", events.size() + 1).set("d", data);
    events.add(frame);
    if (socket != null && !isSilent) {
      socket.writeTextMessage(Json.write(frame));
    }
  }

  /** Somebody writes directly to the bot, each time another person. */
  public synchronized void say(String text) {
    person++;
    write("6" + person, "7" + person, text, Json.object());
  }

  /**
   * A person writes directly to the bot.
   *
   * @return the key by which the server knows the message
   */
  public synchronized String say(int who, String text) {
    ObjectNode message = write("8" + who, "9" + who, text, Json.object());
    return "8" + who + ":" + message.path("id").asText();
  }

  /** Somebody mentions the bot in {@link #CHANNEL}. */
  public synchronized void mention(String text) {
    ObjectNode more = Json.object();
    more.put("guild_id", GUILD);
    more.putArray("mentions").addObject().put("id", BOT).put("username", "helper");
    write(CHANNEL, MEMBER, "<@" + BOT + "> " + text, more);
  }

  /** What the bot has written to a person, as it stands there now. */
  public synchronized List<String> shown(int who) {
    return messages.values().stream()
        .filter(message -> message.path("channel_id").asText().equals("8" + who))
        .filter(message -> message.path("author").path("id").asText().equals(BOT))
        .map(message -> message.path("content").asText())
        .toList();
  }

  /** What the bot has written to a person, with its buttons. */
  public synchronized List<Card> cards(int who) {
    return messages.values().stream()
        .filter(message -> message.path("channel_id").asText().equals("8" + who))
        .filter(message -> message.path("author").path("id").asText().equals(BOT))
        .map(DiscordDouble::card)
        .toList();
  }

  private static Card card(ObjectNode message) {
    Map<String, String> tokens = new LinkedHashMap<>();
    for (JsonNode row : message.path("components")) {
      row.path("components")
          .forEach(
              button ->
                  tokens.put(button.path("label").asText(), button.path("custom_id").asText()));
    }
    return new Card(message.path("id").asText(), message.path("content").asText(), tokens);
  }

  /**
   * A person presses a button in the conversation with the bot.
   *
   * @return the id of the interaction, which is answered
   */
  public synchronized String press(int who, Card card, String label) {
    ObjectNode press = interaction(who, 3);
    press.putObject("data").put("custom_id", card.token(label)).put("component_type", 2);
    press.putObject("message").put("id", card.id());
    dispatch("INTERACTION_CREATE", press);
    return press.path("id").asText();
  }

  /** A person uses {@code /ask} in the conversation with the bot. */
  public synchronized void ask(int who, String text) {
    ObjectNode ask = interaction(who, 2);
    ObjectNode data = ask.putObject("data").put("type", 1).put("name", "ask");
    data.putArray("options").addObject().put("name", "text").put("type", 3).put("value", text);
    dispatch("INTERACTION_CREATE", ask);
  }

  private ObjectNode interaction(int who, int type) {
    clock++;
    String id = Long.toString(clock);
    ObjectNode interaction = Json.object();
    interaction.put("id", id).put("application_id", APP).put("type", type);
    interaction.put("token", "tok_" + id).put("channel_id", "8" + who);
    interaction.putObject("channel").put("id", "8" + who).put("type", 1);
    interaction.putObject("user").put("id", "9" + who).put("username", "ann");
    return interaction;
  }

  /** What a person was told of an interaction. */
  public synchronized Optional<String> answer(String interaction) {
    return Optional.ofNullable(answers.get(interaction));
  }

  /** From now on some replies are posted, and their answers lost. */
  public synchronized void loseAnswers(Random by, int percent) {
    random = by;
    losePercent = percent;
  }

  /** Whether the last heartbeat names the last event, but for notices of resumes. */
  public synchronized boolean isAllTaken() {
    return events.subList(Math.min(taken, events.size()), events.size()).stream()
        .noneMatch(event -> event.path("t").asText().equals("MESSAGE_CREATE"));
  }

  /** One person writes more, in the conversation that was begun last. */
  public synchronized void sayAgain(String... texts) {
    String channel = "6" + person;
    for (String text : texts) {
      write(channel, "7" + person, text, Json.object());
    }
  }

  private ObjectNode write(String channel, String author, String text, ObjectNode more) {
    clock++;
    String id = Long.toString(clock);
    ObjectNode message = more.deepCopy();
    message.put("id", id).put("type", 0).put("channel_id", channel).put("content", text);
    message.putObject("author").put("id", author).put("username", "ann");
    messages.put(id, message);
    if (tellsOwn || !author.equals(BOT)) {
      dispatch("MESSAGE_CREATE", message.deepCopy());
    }
    message.remove(List.of("nonce", "guild_id"));
    return message;
  }

  /** The next reply is posted, and its answer lost. */
  public synchronized void loseNextAnswer() {
    losesNext = true;
  }

  /** The Gateway tells the bot nothing of its own posts. */
  public synchronized void keepsOwnToItself() {
    tellsOwn = false;
  }

  /** The connection stays, and nothing comes over it any more. */
  public synchronized void fallSilent() {
    isSilent = true;
  }

  /** The session is over, and so is its connection. */
  public synchronized void forgetSession() {
    session = "";
    if (socket != null) {
      var _ = socket.close((short) 4009, "Session timed out.");
    }
  }

  public synchronized void revoke() {
    isRevoked = true;
    if (socket != null) {
      var _ = socket.close((short) 4004, "Authentication failed.");
    }
  }

  /** Whether there was a connection: before the first one, nothing is kept for the bot. */
  public synchronized boolean hasSession() {
    return !session.isEmpty();
  }

  public synchronized boolean isConnected() {
    return socket != null;
  }

  public synchronized int resumes() {
    return resumes;
  }

  public synchronized int connections() {
    return connections;
  }

  public synchronized int lookUps() {
    return lookUps;
  }

  public synchronized int calls() {
    return calls.size();
  }

  /** What the bot has asked over REST, by paths below {@link #baseUrl}. */
  public synchronized List<RecordedCall> recordedCalls() {
    return List.copyOf(calls);
  }

  public synchronized Set<String> commands() {
    return Set.copyOf(commands);
  }

  /** What the bot has written, as it stands there now. */
  public synchronized List<String> texts() {
    return messages.values().stream()
        .filter(message -> message.path("author").path("id").asText().equals(BOT))
        .map(message -> message.path("content").asText())
        .toList();
  }

  private synchronized void answer(HttpServerRequest request, String body) {
    String path = request.path().replace("/api/v10", "");
    calls.add(
        new RecordedCall(request.method().name(), request.uri().replace("/api/v10", ""), body));
    boolean isOfToken = path.startsWith("/webhooks/") || path.startsWith("/interactions/");
    String agent = String.valueOf(request.getHeader("user-agent"));
    if (!agent.startsWith("DiscordBot (")) {
      end(request, 403, "{\"code\":40333,\"message\":\"internal network error\"}");
      return;
    }
    if (!isOfToken && (isRevoked || !("Bot " + TOKEN).equals(request.getHeader("authorization")))) {
      end(request, 401, "{\"code\":0,\"message\":\"401: Unauthorized\"}");
      return;
    }
    JsonNode said = body.startsWith("{") ? Json.read(body) : Json.object();
    String answer = does(request, request.method().name(), path, said);
    boolean isReply = said.has("nonce") || request.method().name().equals("PATCH");
    boolean isLost = losesNext || random.nextInt(100) < losePercent;
    if (isReply && isLost) {
      losesNext = false;
      var _ = request.connection().close();
    } else if (answer.isEmpty()) {
      end(request, 404, "{\"code\":10003,\"message\":\"Unknown Channel\"}");
    } else {
      end(request, 200, answer);
    }
  }

  private static void end(HttpServerRequest request, int status, String body) {
    var _ =
        request
            .response()
            .setStatusCode(status)
            .putHeader("content-type", "application/json")
            .end(body);
  }

  private String does(HttpServerRequest request, String method, String path, JsonNode body) {
    String[] parts = path.split("/", -1);
    String call =
        method + " " + path.replaceAll("/[0-9]+", "/ID").replaceAll("/tok_\\w+", "/TOKEN");
    return switch (call) {
      case "GET /users/@me" -> "{\"id\":\"" + BOT + "\",\"username\":\"helper\"}";
      case "GET /applications/@me" -> "{\"id\":\"" + APP + "\",\"flags\":524288}";
      case "GET /gateway/bot" ->
          "{\"url\":\""
              + gatewayUrl()
              + "\",\"shards\":1,\"session_start_limit\":{\"total\":1000,\"remaining\":900,"
              + "\"reset_after\":0,\"max_concurrency\":1}}";
      case "GET /applications/ID/commands" -> "[]";
      case "POST /applications/ID/commands" -> {
        commands.add(body.path("name").asText());
        yield "{\"id\":\"" + commands.size() + "\"}";
      }
      case "GET /channels/ID" ->
          parts[2].equals(CHANNEL)
              ? Json.write(Map.of("id", CHANNEL, "type", 0, "guild_id", GUILD))
              : "{\"id\":\"" + parts[2] + "\",\"type\":1}";
      case "GET /guilds/ID/members/ID" -> "{\"roles\":[]}";
      case "GET /guilds/ID/roles" -> "[{\"id\":\"" + GUILD + "\",\"permissions\":\"8\"}]";
      case "GET /channels/ID/messages" -> history(parts[2], request.getParam("after"));
      case "POST /channels/ID/messages" -> Json.write(posted(parts[2], body));
      case "PATCH /channels/ID/messages/ID" -> edited(parts[4], body);
      case "DELETE /channels/ID/messages/ID" -> {
        messages.remove(parts[4]);
        yield "{}";
      }
      case "POST /channels/ID/typing" -> "{}";
      case "POST /interactions/ID/TOKEN/callback" -> {
        answers.put(parts[2], body.path("data").path("content").asText());
        yield "{}";
      }
      case "PATCH /webhooks/ID/TOKEN/messages/@original" ->
          Json.write(write("50", BOT, body.path("content").asText(), Json.object()));
      default -> "";
    };
  }

  private ObjectNode posted(String channel, JsonNode body) {
    ObjectNode more = Json.object();
    if (body.has("nonce")) {
      more.put("nonce", body.path("nonce").asText());
    }
    if (body.has("components")) {
      more.set("components", body.path("components"));
    }
    if (body.has("message_reference")) {
      more.set("message_reference", body.path("message_reference"));
    }
    return write(channel, BOT, body.path("content").asText(), more);
  }

  private String edited(String id, JsonNode body) {
    ObjectNode message = messages.get(id);
    if (message == null) {
      return "";
    }
    message.put("content", body.path("content").asText());
    if (body.has("components")) {
      message.set("components", body.path("components"));
    }
    return Json.write(message);
  }

  private String history(String channel, String after) {
    lookUps++;
    ArrayNode page = Json.object().putArray("page");
    messages.values().stream()
        .filter(message -> message.path("channel_id").asText().equals(channel))
        .filter(message -> after == null || message.path("id").asText().compareTo(after) > 0)
        .toList()
        .reversed()
        .forEach(page::add);
    return page.toString();
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
