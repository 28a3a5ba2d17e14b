package dev.holdfast.tests.channels;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.RecordedCall;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Mattermost with one team, one channel, a bot and Ann, as its documentation and its own client
 * have it: the API, and the WebSocket with its numbered events, of which a connection that comes
 * back gets those that it has not seen. Thread-safe.
 */
final class MattermostDouble implements AutoCloseable {
  static final String BOT_TOKEN = "canary-of-mattermost-bot";

  /** Of the same bot; good from the beginning. */
  static final String RENEWED_TOKEN = "canary-of-mattermost-bot-renewed";

  static final String ANN_TOKEN = "canary-of-mattermost-ann";
  static final String BOT = "botuserid00000000000000000";
  static final String ANN = "annuserid00000000000000000";
  static final String CHANNEL = "channelid00000000000000000";
  private static final int ID_LENGTH = 26;
  private static final String TEAM = "teamid00000000000000000000";

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  /** Connections by their ids, those that are broken too. */
  private final Map<String, Link> links = new LinkedHashMap<>();

  /** By id, in the order of their creation. */
  private final Map<String, ObjectNode> posts = new LinkedHashMap<>();

  private final List<RecordedCall> calls = new ArrayList<>();
  private final Map<String, String> byPendingId = new LinkedHashMap<>();
  private int ids;
  private long clock = System.currentTimeMillis();
  private long changedAt = System.nanoTime();
  private boolean isRevoked;
  private boolean isRemoved;
  private boolean losesNext;
  private @Nullable Random losses;
  private int lossPercent;

  /** A connection, and all that it was told. */
  private static final class Link {
    private final String id;
    private final String user;
    private final List<String> told = new ArrayList<>();
    private @Nullable ServerWebSocket socket;
    private boolean isFrozen;

    private Link(String id, String user, ServerWebSocket socket) {
      this.id = id;
      this.user = user;
      this.socket = socket;
    }

    private void tell(String event, ObjectNode data) {
      ObjectNode frame = Json.object();
      frame.put("event", event).put("seq", told.size());
      frame.set("data", data);
      told.add(Json.write(frame));
      write(told.getLast());
    }

    private void write(String frame) {
      if (socket != null && !isFrozen) {
        var _ = socket.writeTextMessage(frame);
      }
    }
  }

  MattermostDouble() {
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

  /** Forgets what was written and asked, and refuses nothing any more. */
  synchronized void reset() {
    posts.clear();
    calls.clear();
    isRevoked = false;
    isRemoved = false;
    losesNext = false;
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  private synchronized @Nullable String userOf(@Nullable String token) {
    if (token == null) {
      return null;
    }
    return switch (token) {
      case BOT_TOKEN -> isRevoked ? null : BOT;
      case RENEWED_TOKEN -> BOT;
      case ANN_TOKEN -> ANN;
      default -> null;
    };
  }

  private static @Nullable String bearer(@Nullable String header) {
    return header == null ? null : header.replaceFirst("^(?i)bearer ", "");
  }

  private synchronized void open(ServerWebSocket socket) {
    @Nullable String user = userOf(bearer(socket.headers().get("authorization")));
    Link[] link = new Link[1];
    if (user != null) {
      link[0] = begin(socket, user, String.valueOf(socket.query()));
    }
    socket.textMessageHandler(frame -> asked(socket, link, Json.read(frame)));
    socket.closeHandler(_ -> closed(socket, link[0]));
  }

  private synchronized void closed(ServerWebSocket socket, @Nullable Link link) {
    if (link != null && link.socket == socket) {
      link.socket = null;
    }
  }

  /** Goes on with the connection that the query names, if there is one; else says hello. */
  private Link begin(ServerWebSocket socket, String user, String query) {
    changedAt = System.nanoTime();
    @Nullable Link known = links.get(parameter(query, "connection_id"));
    if (known != null && known.user.equals(user) && known.socket == null) {
      known.socket = socket;
      known.isFrozen = false;
      int from = Integer.parseInt("0" + parameter(query, "sequence_number"));
      known.told.stream().skip(from).forEach(known::write);
      return known;
    }
    Link link = new Link(nextId("conn"), user, socket);
    links.put(link.id, link);
    ObjectNode hello = Json.object();
    hello.put("connection_id", link.id).put("server_version", "11.0.0").put("server_hostname", "x");
    link.tell("hello", hello);
    return link;
  }

  private static String parameter(String query, String name) {
    for (String pair : query.split("&", -1)) {
      if (pair.startsWith(name + "=")) {
        return pair.substring(name.length() + 1);
      }
    }
    return "";
  }

  private synchronized void asked(ServerWebSocket socket, Link[] link, JsonNode frame) {
    long number = frame.path("seq").asLong();
    if (link[0] != null && link[0].isFrozen) {
      return;
    }
    if (frame.path("action").asText().equals("authentication_challenge")) {
      @Nullable String user = userOf(frame.path("data").path("token").asText());
      if (link[0] != null) {
        return; // the handshake has said it
      }
      if (user == null) {
        var _ = socket.close();
        return;
      }
      link[0] = begin(socket, user, ""); // who comes in without a name goes on with nothing
      var _ = socket.writeTextMessage("{\"status\":\"OK\",\"seq_reply\":" + number + "}");
      return;
    }
    boolean isKnown = link[0] != null && !(isRevoked && link[0].user.equals(BOT));
    var _ =
        socket.writeTextMessage(
            isKnown
                ? "{\"status\":\"OK\",\"data\":{\"text\":\"pong\"},\"seq_reply\":" + number + "}"
                : "{\"status\":\"FAIL\",\"error\":{\"id\":\"not_authenticated\",\"message\":\"\","
                    + "\"status_code\":401},\"seq_reply\":"
                    + number
                    + "}");
  }

  private String nextId(String prefix) {
    ids++;
    String number = Integer.toString(ids);
    return prefix + "0".repeat(ID_LENGTH - prefix.length() - number.length()) + number;
  }

  /** Ann writes directly to the bot, each time in another conversation. */
  synchronized String say(String text) {
    return store(ANN, nextId("direct"), text, "", Json.object());
  }

  /**
   * A person writes directly to the bot, always in the same conversation.
   *
   * @param person from 0 to 9
   * @return the id of the post
   */
  synchronized String say(int person, String text) {
    return store("person" + person + "0".repeat(19), conversation(person), text, "", Json.object());
  }

  private static String conversation(int person) {
    return "conversation" + person + "0".repeat(13);
  }

  /** What the bot has said to a person, in the order of the posts. */
  synchronized List<String> shown(int person) {
    return posts.values().stream()
        .filter(post -> post.path("user_id").asText().equals(BOT))
        .filter(post -> post.path("channel_id").asText().equals(conversation(person)))
        .map(post -> post.path("message").asText())
        .toList();
  }

  /** From now on some answers to replies are lost, after the post. */
  synchronized void loseAnswers(Random chance, int percent) {
    losses = chance;
    lossPercent = percent;
  }

  private boolean isLost() {
    boolean isNext = losesNext;
    losesNext = false;
    return isNext || (losses != null && losses.nextInt(100) < lossPercent);
  }

  /** Ann writes in the channel. */
  synchronized String sayInChannel(String text, String root) {
    return store(ANN, CHANNEL, text, root, Json.object());
  }

  private String store(String user, String channel, String text, String root, JsonNode props) {
    changedAt = System.nanoTime();
    clock = Math.max(clock + 1, System.currentTimeMillis());
    ObjectNode post = Json.object();
    String id = nextId("post");
    post.put("id", id).put("user_id", user).put("channel_id", channel).put("message", text);
    post.put("root_id", root).put("create_at", clock).put("update_at", clock).put("type", "");
    post.put("delete_at", 0L);
    post.set("props", props);
    posts.put(id, post);
    tell("posted", post);
    return id;
  }

  /** Tells everybody of a post, who is there or may come back. */
  private void tell(String event, ObjectNode post) {
    for (Link link : links.values()) {
      if (!(isRevoked && link.user.equals(BOT))) {
        ObjectNode data = Json.object();
        data.put("post", Json.write(post)).put("sender_name", "@ann").put("team_id", "");
        data.put("channel_type", type(post.path("channel_id").asText()));
        link.tell(event, data);
      }
    }
  }

  private static String type(String channel) {
    return channel.equals(CHANNEL) ? "O" : "D";
  }

  /** Breaks all connections; they may come back. */
  synchronized void breakSockets() {
    for (Link link : links.values()) {
      if (link.socket != null) {
        var _ = link.socket.close();
        link.socket = null;
      }
    }
  }

  /** As a restart of Mattermost: nobody can go on where it was. */
  synchronized void forgetConnections() {
    breakSockets();
    links.clear();
  }

  /** Those that are open stay so and bring nothing any more. */
  synchronized void freeze() {
    links.values().forEach(link -> link.isFrozen = true);
  }

  synchronized void revoke() {
    isRevoked = true;
  }

  /** Puts the bot out of the channel, or in again, and tells it. */
  synchronized void remove(boolean isOut) {
    isRemoved = isOut;
    for (Link link : links.values()) {
      if (link.user.equals(BOT) && isOut) {
        link.tell("user_removed", Json.object().put("channel_id", CHANNEL).put("remover_id", ANN));
      } else if (link.user.equals(BOT)) {
        link.tell("user_added", Json.object().put("team_id", TEAM).put("user_id", BOT));
      }
    }
  }

  /** The next reply is posted, and its answer lost. */
  synchronized void loseNextAnswer() {
    losesNext = true;
  }

  synchronized boolean hasSocket() {
    return links.values().stream().anyMatch(link -> link.user.equals(BOT) && link.socket != null);
  }

  /** Whether the bot is connected, and nobody has come or said anything for a while. */
  synchronized boolean isQuiet(Duration since) {
    return hasSocket() && System.nanoTime() - changedAt > since.toNanos();
  }

  /** Whether the bot was ever connected. */
  synchronized boolean hasListened() {
    return connections() > 0;
  }

  /** How many connections the bot has opened that began anew. */
  synchronized long connections() {
    return links.values().stream().filter(link -> link.user.equals(BOT)).count();
  }

  synchronized List<RecordedCall> calls() {
    return List.copyOf(calls);
  }

  synchronized long calls(String method, String path) {
    return calls.stream()
        .filter(call -> call.method().equals(method) && call.path().matches(path))
        .count();
  }

  /** What the bot has posted and what was not deleted, in the order of the posts. */
  synchronized List<String> texts() {
    return posts.values().stream()
        .filter(post -> post.path("user_id").asText().equals(BOT))
        .map(post -> post.path("message").asText())
        .toList();
  }

  /** What the button of that name brings when somebody presses it; empty when there is none. */
  synchronized Optional<JsonNode> button(String name) {
    for (ObjectNode post : posts.values()) {
      for (JsonNode action : post.at("/props/attachments/0/actions")) {
        if (action.path("name").asText().equals(name)) {
          return Optional.of(action.path("integration"));
        }
      }
    }
    return Optional.empty();
  }

  /** The root of the post of the bot that says this. */
  synchronized String rootOf(String text) {
    return posts.values().stream()
        .filter(post -> post.path("user_id").asText().equals(BOT))
        .filter(post -> post.path("message").asText().equals(text))
        .map(post -> post.path("root_id").asText())
        .findFirst()
        .orElse("none");
  }

  private synchronized void answer(HttpServerRequest request, String body) {
    @Nullable String user = userOf(bearer(request.getHeader("authorization")));
    String path = request.uri().replaceFirst("^/api/v4", "");
    String method = request.method().name();
    if (!ANN.equals(user)) {
      calls.add(new RecordedCall(method, path, body));
    }
    if (user == null) {
      end(request, 401, error("api.context.session_expired.app_error", 401));
      return;
    }
    JsonNode asked = body.startsWith("{") ? Json.read(body) : Json.object();
    @Nullable JsonNode answer = does(method, path, user, asked);
    boolean isReply = asked.path("props").has("holdfast_reply");
    if (path.equals("/posts/ephemeral")) { // for system administrators, and the bot is none
      end(request, 403, error("api.context.permissions.app_error", 403));
    } else if (isReply && isLost()) {
      var _ = request.connection().close();
    } else if (answer == null) {
      end(request, 404, error("api.context.404.app_error", 404));
    } else {
      end(request, method.equals("POST") ? 201 : 200, answer);
    }
  }

  private static void end(HttpServerRequest request, int status, JsonNode answer) {
    var _ =
        request
            .response()
            .setStatusCode(status)
            .putHeader("content-type", "application/json")
            .putHeader("x-version-id", "11.0.0.11.0.0.abc.false")
            .end(Json.write(answer));
  }

  private static ObjectNode error(String id, int status) {
    return Json.object().put("id", id).put("message", "refused").put("status_code", status);
  }

  private @Nullable JsonNode does(String method, String uri, String user, JsonNode asked) {
    String path = uri.replaceFirst("\\?.*", "").replace("/users/" + user, "/users/me");
    String[] parts = path.split("/", -1);
    return switch (method + " " + path.replaceFirst("^/(posts|channels)/[^/]+", "/$1/*")) {
      case "GET /users/me" -> user(user);
      case "GET /users/me/teams" -> Json.of(List.of(Map.of("id", TEAM)));
      case "GET /users/me/channels" -> channels();
      case "POST /channels/*" -> channel(nextId("direct"));
      case "GET /channels/*" -> channel(parts[2]);
      case "GET /channels/*/members/me" ->
          isRemoved ? null : Json.object().put("channel_id", parts[2]).put("user_id", user);
      case "GET /channels/*/posts" -> history(parts[2], uri);
      case "GET /posts/*" -> posts.get(parts[2]);
      case "POST /posts" -> create(user, asked);
      case "PUT /posts/*/patch" -> patch(parts[2], asked);
      case "DELETE /posts/*" -> delete(parts[2]);
      case "POST /users/me/typing" -> Json.of(Map.of("status", "OK"));
      default -> null;
    };
  }

  private static ObjectNode user(String id) {
    ObjectNode user = Json.object().put("id", id).put("roles", "system_user");
    return user.put("username", id.equals(BOT) ? "holdfast" : "ann").put("is_bot", id.equals(BOT));
  }

  private ArrayNode channels() {
    Map<String, Long> last = new LinkedHashMap<>();
    posts
        .values()
        .forEach(
            post -> last.put(post.path("channel_id").asText(), post.path("create_at").asLong()));
    ArrayNode channels = Json.object().putArray("channels");
    last.forEach((id, at) -> channels.add(channel(id).put("last_post_at", at)));
    return channels;
  }

  private static ObjectNode channel(String id) {
    String type = type(id);
    return Json.object()
        .put("id", id)
        .put("type", type)
        .put("team_id", type.equals("O") ? TEAM : "")
        .put("delete_at", 0);
  }

  private ObjectNode history(String channel, String uri) {
    ObjectNode page = Json.object();
    ArrayNode order = page.putArray("order");
    ObjectNode byId = page.putObject("posts");
    int most = Integer.parseInt("0" + parameter(uri.replaceFirst(".*\\?", ""), "per_page"));
    String before = parameter(uri.replaceFirst(".*\\?", ""), "before");
    boolean isBelow = before.isEmpty();
    for (ObjectNode post : List.copyOf(posts.values()).reversed()) {
      boolean isThere = post.path("channel_id").asText().equals(channel);
      if (isBelow && isThere && order.size() < most) {
        order.add(post.path("id").asText());
        byId.set(post.path("id").asText(), post);
      }
      isBelow |= post.path("id").asText().equals(before);
    }
    return page;
  }

  /** A post with a pending id that was seen is the same post. */
  private @Nullable JsonNode create(String user, JsonNode asked) {
    String pending = asked.path("pending_post_id").asText("");
    @Nullable String known = pending.isEmpty() ? null : byPendingId.get(pending);
    if (known != null && posts.containsKey(known)) {
      return posts.get(known);
    }
    ObjectNode props = Json.object();
    if (asked.path("props").isObject()) {
      props.setAll((ObjectNode) asked.path("props"));
    }
    if (user.equals(BOT)) {
      props.put("from_bot", "true");
    }
    String id =
        store(
            user,
            asked.path("channel_id").asText(),
            asked.path("message").asText(),
            asked.path("root_id").asText(""),
            props);
    byPendingId.put(pending, id);
    return posts.get(id);
  }

  private @Nullable JsonNode patch(String id, JsonNode asked) {
    @Nullable ObjectNode post = posts.get(id);
    if (post == null) {
      return null;
    }
    for (String key : List.of("message", "props")) {
      if (asked.has(key)) {
        post.set(key, asked.get(key));
      }
    }
    tell("post_edited", post);
    return post;
  }

  private @Nullable JsonNode delete(String id) {
    @Nullable ObjectNode post = posts.remove(id);
    if (post != null) {
      tell("post_deleted", post);
    }
    return post == null ? null : Json.of(Map.of("status", "OK"));
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
