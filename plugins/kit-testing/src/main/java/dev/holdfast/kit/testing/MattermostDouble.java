package dev.holdfast.kit.testing;

import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Mattermost with one team, one channel, a bot and Ann, as its documentation and its own client
 * have it: the API, and the WebSocket with its numbered events, of which a connection that comes
 * back gets those that it has not seen. All other channels are direct conversations.
 */
public class MattermostDouble extends HttpDouble {
  public static final String BOT_TOKEN = "canary-of-mattermost-bot";
  public static final String ANN_TOKEN = "canary-of-mattermost-ann";
  public static final String BOT = "botuserid00000000000000000";
  public static final String ANN = "annuserid00000000000000000";
  public static final String CHANNEL = "channelid00000000000000000";
  public static final String TEAM = "teamid00000000000000000000";
  private static final int ID_LENGTH = 26;

  /** Connections by their ids, those that are broken too. */
  private final Map<String, Link> links = new LinkedHashMap<>();

  /** By id, in the order of their creation. */
  private final Map<String, Map<String, Object>> posts = new LinkedHashMap<>();

  private final Map<String, String> directs = new LinkedHashMap<>();
  private final Map<String, String> byPendingId = new LinkedHashMap<>();
  private int ids;
  private long clock = System.currentTimeMillis();
  private long changedAt = System.nanoTime();
  private boolean isRemoved;
  private Random losses = new Random(0);
  private int lossPercent;

  /** A connection, and all that it was told. */
  private static final class Link {
    private final String id;
    private final String user;
    private final List<String> told = new ArrayList<>();
    private @Nullable WireSocket socket;

    private Link(String id, String user, WireSocket socket) {
      this.id = id;
      this.user = user;
      this.socket = socket;
    }

    private void tell(String event, Map<String, ?> data) {
      told.add(JsonText.write(Map.of("event", event, "seq", told.size(), "data", data)));
      write(told.getLast());
    }

    private void write(String frame) {
      if (socket != null) {
        socket.send(frame);
      }
    }
  }

  /** Forgets what was written and asked, and that the bot was put out of the channel. */
  @Override
  public final synchronized void reset() {
    super.reset();
    posts.clear();
    isRemoved = false;
  }

  /** Empty when it is nobody's. */
  private String userOf(String token) {
    return switch (token.replaceFirst("^(?i)bearer ", "")) {
      case BOT_TOKEN -> BOT;
      case ANN_TOKEN -> ANN;
      default -> "";
    };
  }

  @Override
  protected final synchronized Consumer<String> opened(WireSocket socket, Asked handshake) {
    String user = userOf(handshake.header("authorization"));
    Link[] link = new Link[1];
    if (!user.isEmpty()) {
      link[0] = begin(socket, user, handshake.query());
    }
    return frame -> heard(socket, link, JsonText.object(frame));
  }

  @Override
  protected final synchronized void closed(WireSocket socket) {
    for (Link link : links.values()) {
      if (link.socket == socket) {
        link.socket = null;
      }
    }
  }

  /** Goes on with the connection that the query names, if there is one; else says hello. */
  private Link begin(WireSocket socket, String user, Map<String, String> query) {
    changedAt = System.nanoTime();
    @Nullable Link known = links.get(query.getOrDefault("connection_id", ""));
    if (known != null && known.user.equals(user) && known.socket == null) {
      known.socket = socket;
      int from = Integer.parseInt("0" + query.getOrDefault("sequence_number", ""));
      known.told.stream().skip(from).forEach(known::write);
      return known;
    }
    Link link = new Link(nextId("conn"), user, socket);
    links.put(link.id, link);
    link.tell(
        "hello",
        Map.of("connection_id", link.id, "server_version", "11.0.0", "server_hostname", "x"));
    return link;
  }

  private synchronized void heard(WireSocket socket, Link[] link, Map<String, Object> frame) {
    String reply = ",\"seq_reply\":" + JsonText.whole(frame, "seq", 0) + "}";
    if (JsonText.text(frame, "action").equals("authentication_challenge")) {
      String user = userOf(JsonText.text(JsonText.map(frame, "data"), "token"));
      if (link[0] != null) {
        return; // the handshake has said it
      }
      if (user.isEmpty()) {
        socket.close(1000, "");
        return;
      }
      link[0] = begin(socket, user, Map.of()); // who comes in without a name goes on with nothing
      socket.send("{\"status\":\"OK\"" + reply);
      return;
    }
    socket.send(
        (link[0] != null
                ? "{\"status\":\"OK\",\"data\":{\"text\":\"pong\"}"
                : "{\"status\":\"FAIL\",\"error\":{\"id\":\"not_authenticated\",\"message\":\"\","
                    + "\"status_code\":401}")
            + reply);
  }

  private String nextId(String kind) {
    ids++;
    return id(kind, ids);
  }

  /** The id of a new thing. */
  protected String id(String kind, int number) {
    String digits = Integer.toString(number);
    return kind + "0".repeat(ID_LENGTH - kind.length() - digits.length()) + digits;
  }

  /** Ann writes directly to the bot, each time in another conversation. */
  public final synchronized String say(String text) {
    return store(ANN, nextId("direct"), text, "", Map.of());
  }

  /**
   * A person writes directly to the bot, always in the same conversation.
   *
   * @param person from 0 to 9
   * @return the id of the post
   */
  public final synchronized String say(int person, String text) {
    return store("person" + person + "0".repeat(19), conversation(person), text, "", Map.of());
  }

  private static String conversation(int person) {
    return "conversation" + person + "0".repeat(13);
  }

  /** What the bot has said to a person, in the order of the posts. */
  public final synchronized List<String> shown(int person) {
    return ofBot()
        .filter(post -> JsonText.text(post, "channel_id").equals(conversation(person)))
        .map(post -> JsonText.text(post, "message"))
        .toList();
  }

  private Stream<Map<String, Object>> ofBot() {
    return posts.values().stream().filter(post -> JsonText.text(post, "user_id").equals(BOT));
  }

  /** From now on some answers to replies are lost, after the post. */
  public final synchronized void loseAnswers(Random chance, int percent) {
    losses = chance;
    lossPercent = percent;
  }

  private boolean isLost() {
    return losses.nextInt(100) < lossPercent;
  }

  /** Ann writes in the channel. */
  public final synchronized String sayInChannel(String text, String root) {
    return store(ANN, CHANNEL, text, root, Map.of());
  }

  private String store(
      String user, String channel, String text, String root, Map<String, ?> props) {
    changedAt = System.nanoTime();
    clock = Math.max(clock + 1, System.currentTimeMillis());
    Map<String, Object> post = new LinkedHashMap<>();
    String id = nextId("post");
    post.put("id", id);
    post.put("user_id", user);
    post.put("channel_id", channel);
    post.put("message", text);
    post.put("root_id", root);
    post.put("create_at", clock);
    post.put("update_at", clock);
    post.put("type", "");
    post.put("delete_at", 0);
    post.put("props", props);
    put(post);
    tell("posted", post);
    return id;
  }

  /** Adds a post that nobody is told of, as the newest. */
  public final synchronized void put(Map<String, Object> post) {
    posts.put(JsonText.text(post, "id"), post);
  }

  /** Tells everybody of a post, who is there or may come back. */
  private void tell(String event, Map<String, Object> post) {
    String type = type(JsonText.text(post, "channel_id"));
    String written = JsonText.write(post);
    for (Link link : links.values()) {
      link.tell(
          event,
          Map.of("post", written, "sender_name", "@ann", "team_id", "", "channel_type", type));
    }
  }

  private static String type(String channel) {
    return channel.equals(CHANNEL) ? "O" : "D";
  }

  /** Breaks all connections; they may come back. */
  public final synchronized void breakSockets() {
    for (Link link : links.values()) {
      if (link.socket != null) {
        link.socket.close(1000, "");
        link.socket = null;
      }
    }
  }

  /** As a restart of Mattermost: nobody can go on where it was. */
  public final synchronized void forgetConnections() {
    breakSockets();
    links.clear();
  }

  /** Puts the bot out of the channel, or in again, and tells it. */
  public final synchronized void remove(boolean isOut) {
    isRemoved = isOut;
    for (Link link : links.values()) {
      if (link.user.equals(BOT) && isOut) {
        link.tell("user_removed", Map.of("channel_id", CHANNEL, "remover_id", ANN));
      } else if (link.user.equals(BOT)) {
        link.tell("user_added", Map.of("team_id", TEAM, "user_id", BOT));
      }
    }
  }

  public final synchronized boolean hasSocket() {
    return links.values().stream().anyMatch(link -> link.user.equals(BOT) && link.socket != null);
  }

  /** Whether the bot is connected, and nobody has come or said anything for a while. */
  public final synchronized boolean isQuiet(Duration since) {
    return hasSocket() && System.nanoTime() - changedAt > since.toNanos();
  }

  /** Whether the bot was ever connected. */
  public final synchronized boolean hasListened() {
    return connections() > 0;
  }

  /** How many connections the bot has opened that began anew. */
  public final synchronized long connections() {
    return links.values().stream().filter(link -> link.user.equals(BOT)).count();
  }

  /** What the bot has posted and what was not deleted, in the order of the posts. */
  public final synchronized List<String> texts() {
    return ofBot().map(post -> JsonText.text(post, "message")).toList();
  }

  /** What the button of that name brings when somebody presses it; empty when there is none. */
  public final synchronized Optional<Map<String, Object>> button(String name) {
    return posts.values().stream()
        .flatMap(post -> JsonText.maps(JsonText.map(post, "props"), "attachments").stream())
        .flatMap(attachment -> JsonText.maps(attachment, "actions").stream())
        .filter(action -> JsonText.text(action, "name").equals(name))
        .map(action -> JsonText.map(action, "integration"))
        .findFirst();
  }

  /** The root of the post of the bot that says this. */
  public final synchronized String rootOf(String text) {
    return ofBot()
        .filter(post -> JsonText.text(post, "message").equals(text))
        .map(post -> JsonText.text(post, "root_id"))
        .findFirst()
        .orElse("none");
  }

  /** Method and path, without ids and query. */
  @Override
  protected final String call(Asked request) {
    String path =
        request
            .path()
            .replaceFirst("^/api/v4", "")
            .replaceFirst("\\?.*", "")
            .replaceFirst("^/users/(" + BOT + "|" + ANN + ")", "/users/me")
            .replaceFirst("^/(posts|channels|files)/(?!(?:ephemeral|direct)$)[^/]+", "/$1/*");
    return request.method() + " " + path;
  }

  @Override
  protected final synchronized Said usual(Asked request) {
    String user = userOf(request.header("authorization"));
    if (user.isEmpty()) {
      return error(401, "api.context.session_expired.app_error");
    }
    Map<String, Object> asked =
        request.body().startsWith("{") ? JsonText.object(request.body()) : Map.of();
    Said answer = does(request, user, asked);
    boolean isReply = JsonText.map(asked, "props").containsKey("holdfast_reply");
    return isReply && isLost() ? Said.nothing() : answer;
  }

  public static Said ok(Object body) {
    return said(200, body);
  }

  public static Said error(int status, String id) {
    return said(status, Map.of("id", id, "message", "nobody reads it", "status_code", status));
  }

  private static Said said(int status, Object body) {
    Map<String, String> headers =
        Map.of("content-type", "application/json", "x-version-id", "11.0.0.11.0.0.abc.false");
    return new Said(status, headers, JsonText.write(body));
  }

  private Said does(Asked request, String user, Map<String, Object> asked) {
    String[] parts = request.path().split("[/?]", -1);
    String id = parts.length > 4 ? parts[4] : "";
    return switch (call(request)) {
      case "GET /users/me" -> ok(user(user));
      case "GET /users/me/teams" -> ok(List.of(Map.of("id", TEAM)));
      case "GET /users/me/channels" -> ok(channels());
      case "POST /channels/direct" -> said(201, channel(direct(request.body()), 0));
      case "GET /channels/*" -> ok(channel(id, 0));
      case "GET /channels/*/members/me" ->
          isRemoved
              ? error(404, "app.channel.get_member.missing.app_error")
              : ok(Map.of("channel_id", id, "user_id", user));
      case "GET /channels/*/posts" -> ok(history(id, request.query()));
      case "GET /posts/*" -> posts.containsKey(id) ? ok(posts.get(id)) : gone();
      case "POST /posts" -> said(201, create(user, asked));
      case "PUT /posts/*/patch" -> posts.containsKey(id) ? ok(patch(id, asked)) : gone();
      case "DELETE /posts/*" -> delete(id);
      case "POST /users/me/typing" -> ok(Map.of("status", "OK"));
      case "POST /posts/ephemeral" -> // for system administrators, and the bot is none
          error(403, "api.context.permissions.app_error");
      default -> error(404, "api.context.404.app_error");
    };
  }

  /** The conversation of these people. */
  private String direct(String people) {
    return directs.computeIfAbsent(people, _ -> nextId("direct"));
  }

  private static Said gone() {
    return error(404, "app.post.get.app_error");
  }

  private static Map<String, Object> user(String id) {
    boolean isBot = id.equals(BOT);
    String name = isBot ? "holdfast" : "ann";
    return Map.of("id", id, "roles", "system_user", "username", name, "is_bot", isBot);
  }

  private List<Map<String, Object>> channels() {
    Map<String, Long> last = new LinkedHashMap<>();
    posts
        .values()
        .forEach(
            post ->
                last.put(JsonText.text(post, "channel_id"), JsonText.whole(post, "create_at", 0)));
    return last.entrySet().stream().map(each -> channel(each.getKey(), each.getValue())).toList();
  }

  private static Map<String, Object> channel(String id, long lastPostAt) {
    String type = type(id);
    String team = type.equals("O") ? TEAM : "";
    return Map.of(
        "id", id, "type", type, "team_id", team, "delete_at", 0, "last_post_at", lastPostAt);
  }

  private Map<String, Object> history(String channel, Map<String, String> query) {
    Map<String, Object> byId = new LinkedHashMap<>();
    int most = Integer.parseInt(query.getOrDefault("per_page", "60"));
    String before = query.getOrDefault("before", "");
    boolean isBelow = before.isEmpty();
    for (Map<String, Object> post : List.copyOf(posts.values()).reversed()) {
      String id = JsonText.text(post, "id");
      boolean isThere = JsonText.text(post, "channel_id").equals(channel);
      if (isBelow && isThere && byId.size() < most) {
        byId.put(id, post);
      }
      isBelow |= id.equals(before);
    }
    return Map.of("order", List.copyOf(byId.keySet()), "posts", byId);
  }

  /** A post with a pending id that was seen is the same post. */
  private Object create(String user, Map<String, Object> asked) {
    String pending = JsonText.text(asked, "pending_post_id");
    String known = byPendingId.getOrDefault(pending, "");
    if (!pending.isEmpty() && posts.containsKey(known)) {
      return posts.get(known);
    }
    Map<String, Object> props = JsonText.map(asked, "props");
    if (user.equals(BOT)) {
      props.put("from_bot", "true");
    }
    String id =
        store(
            user,
            JsonText.text(asked, "channel_id"),
            JsonText.text(asked, "message"),
            JsonText.text(asked, "root_id"),
            props);
    byPendingId.put(pending, id);
    return posts.getOrDefault(id, Map.of());
  }

  private Object patch(String id, Map<String, Object> asked) {
    Map<String, Object> post = posts.getOrDefault(id, Map.of());
    for (String key : List.of("message", "props")) {
      if (asked.containsKey(key)) {
        post.put(key, asked.get(key));
      }
    }
    tell("post_edited", post);
    return post;
  }

  private Said delete(String id) {
    @Nullable Map<String, Object> post = posts.remove(id);
    if (post == null) {
      return gone();
    }
    tell("post_deleted", post);
    return ok(Map.of("status", "OK"));
  }
}
