package dev.holdfast.tests.channels;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.tests.harness.Json;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A homeserver with the account of a bot, as the client-server API v1.11 has it: rooms are lists of
 * events, {@code /sync} waits for news, and a transaction that came before is the event that it
 * was. Tokens are {@code s} or {@code t} and the number of the last event before them. Thread-safe.
 */
final class HomeserverDouble implements AutoCloseable {
  static final String TOKEN = "syt_canary_of_matrix";
  static final String BOT = "@bot:hs.test";

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final List<RoomEvent> events = new ArrayList<>();
  private final Map<String, Set<String>> members = new LinkedHashMap<>();
  private final Map<String, String> inviters = new LinkedHashMap<>();

  /** How far the bot has read, and how many events were pushed. */
  private long read;

  private long pushed;

  /** Rooms of invitations that were told already. */
  private final Set<String> told = new TreeSet<>();

  private final Map<String, String> transactions = new HashMap<>();

  /** Whose a token is. */
  private final Map<String, String> users = new HashMap<>(Map.of(TOKEN, BOT));

  private final List<Runnable> waiting = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final Map<Harm, Predicate<String>> harms = new HashMap<>();

  private final HttpClient client = HttpClient.newHttpClient();
  private @Nullable Thread pusher;

  /** What it does in place of its work. */
  enum Harm {
    /** Does it, and breaks the connection before the answer. */
    LOSE_ANSWER,
    /** Never answers. */
    HANG,
    /** {@code M_LIMIT_EXCEEDED}. */
    LIMIT,
    /** {@code M_UNKNOWN_TOKEN}. */
    REVOKE
  }

  /** {@code number}: from 1, over all rooms. */
  private record RoomEvent(long number, String room, ObjectNode event) {
    private String type() {
      return event.path("type").asText();
    }

    private String id() {
      return event.path("event_id").asText();
    }

    private JsonNode content() {
      return event.path("content");
    }
  }

  HomeserverDouble() {
    server =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .requestHandler(
                request -> request.body().onSuccess(body -> receive(request, body.toString())))
            .listen()
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(10, TimeUnit.SECONDS)
            .join();
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  /** {@code which}: of the method and path of a request. */
  synchronized void harm(Harm how, Predicate<String> which) {
    harms.put(how, which);
  }

  synchronized void heal() {
    harms.clear();
    asked.clear();
  }

  /**
   * Sends what happens to an application service, one event in each transaction, and the same one
   * again until it is taken.
   *
   * @param url of the registration
   */
  void pushTo(String url, String hsToken) {
    pusher =
        Thread.startVirtualThread(
            () -> {
              try {
                push(url, hsToken);
              } catch (InterruptedException _) {
                // It is closed.
              }
            });
  }

  private void push(String url, String hsToken) throws InterruptedException {
    for (int number = 0; ; ) {
      ObjectNode transaction = Json.object();
      synchronized (this) {
        if (number < events.size()) {
          RoomEvent event = events.get(number);
          ObjectNode whole = event.event().deepCopy();
          transaction.putArray("events").add(whole.put("room_id", event.room()));
        }
      }
      boolean isTaken =
          transaction.has("events")
              && toService(
                      "PUT", url + "/_matrix/app/v1/transactions/" + number, hsToken, transaction)
                  == 200;
      if (isTaken) {
        number++;
        notePushed(number);
      } else {
        Thread.sleep(20); // or the next event is not there yet
      }
    }
  }

  private synchronized void notePushed(int number) {
    pushed = number;
  }

  /** Whether the bot has asked for what comes after the last event, or has taken that. */
  synchronized boolean isAllTaken() {
    return Math.max(read, pushed) == events.size();
  }

  /** The status of its answer; 0 when there is none. */
  int toService(String method, String url, String hsToken, ObjectNode body)
      throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("authorization", "Bearer " + hsToken)
            .header("content-type", "application/json")
            .timeout(Duration.ofSeconds(10))
            .method(method, HttpRequest.BodyPublishers.ofString(Json.write(body)))
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException _) {
      return 0;
    }
  }

  /** A room of the bot and these people. */
  synchronized String room(String name, String... people) {
    String room = "!" + name + ":hs.test";
    Set<String> joined = new TreeSet<>(List.of(people));
    joined.add(BOT);
    members.put(room, joined);
    return room;
  }

  /** A token for a client of a person. */
  synchronized String login(String person) {
    users.put("syt_of_" + person, person);
    return "syt_of_" + person;
  }

  /** Returns the key of the message. */
  String say(String room, String person, String text) {
    return say(room, person, text, Json.object());
  }

  /** {@code more}: other members of its content. */
  synchronized String say(String room, String person, String text, ObjectNode more) {
    ObjectNode content = more.deepCopy();
    content.put("msgtype", "m.text").put("body", text);
    return room + "|" + add(room, "m.room.message", person, content);
  }

  synchronized void react(String room, String person, String event, String sign) {
    ObjectNode content = Json.object();
    content
        .putObject("m.relates_to")
        .put("rel_type", "m.annotation")
        .put("event_id", event)
        .put("key", sign);
    String _ = add(room, "m.reaction", person, content);
  }

  /** A new room of a person, to which the bot is invited. */
  synchronized String invite(String name, String inviter) {
    String room = "!" + name + ":hs.test";
    members.put(room, new TreeSet<>(Set.of(inviter)));
    inviters.put(room, inviter);
    wake();
    return room;
  }

  synchronized boolean hasJoined(String room) {
    return hasJoined(room, BOT);
  }

  private Set<String> membersOf(String room) {
    return members.getOrDefault(room, new TreeSet<>());
  }

  private boolean hasJoined(String room, String user) {
    return membersOf(room).contains(user);
  }

  private String add(String room, String type, String sender, ObjectNode content) {
    long number = events.size() + 1L;
    ObjectNode event = Json.object();
    event.put("type", type).put("event_id", "$e" + number).put("sender", sender);
    event.put("origin_server_ts", 1_700_000_000_000L + number);
    event.set("content", content);
    events.add(new RoomEvent(number, room, event));
    wake();
    return "$e" + number;
  }

  private void wake() {
    List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(Runnable::run);
  }

  /** What people read of the bot in a room now: edited, and without what was taken away. */
  synchronized List<String> shown(String room) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (RoomEvent event : events) {
      if (!event.room().equals(room) || !event.event().path("sender").asText().equals(BOT)) {
        continue;
      }
      JsonNode relation = event.content().path("m.relates_to");
      String target = relation.path("event_id").asText();
      if (event.type().equals("m.room.redaction")) {
        texts.remove(event.event().path("redacts").asText());
      } else if (relation.path("rel_type").asText().equals("m.replace")) {
        texts.computeIfPresent(
            target, (_, _) -> event.content().path("m.new_content").path("body").asText());
      } else if (event.type().equals("m.room.message")) {
        texts.put(event.id(), event.content().path("body").asText());
      }
    }
    return List.copyOf(texts.values());
  }

  /** What the bot has written in a room, its edits too, in their order. */
  synchronized List<JsonNode> written(String room) {
    return events.stream()
        .filter(event -> event.room().equals(room) && event.type().equals("m.room.message"))
        .filter(event -> event.event().path("sender").asText().equals(BOT))
        .map(RoomEvent::event)
        .map(JsonNode.class::cast)
        .toList();
  }

  /** How many requests there were whose method and path have this part. */
  synchronized long count(String part) {
    return asked.stream().filter(line -> line.contains(part)).count();
  }

  private synchronized void receive(HttpServerRequest request, String body) {
    String line = request.method() + " " + request.path();
    asked.add(line);
    if (does(Harm.HANG, line)) {
      return;
    }
    String token = String.valueOf(request.getHeader("authorization")).replaceFirst("^Bearer ", "");
    String user = users.getOrDefault(token, "");
    if (does(Harm.REVOKE, line) || user.isEmpty()) {
      refuse(request, 401, "M_UNKNOWN_TOKEN");
      return;
    }
    if (does(Harm.LIMIT, line)) {
      refuse(request, 429, "M_LIMIT_EXCEEDED");
      return;
    }
    String[] path = segments(request.path());
    if (path.length == 4 && path[3].equals("sync")) {
      sync(request, user);
    } else if (path.length > 5 && path[3].equals("rooms")) {
      answer(request, line, ofRoom(request, path, body, user));
    } else {
      answer(
          request, line, whole(path[path.length - 1].isEmpty() ? path[3] : path[path.length - 1]));
    }
  }

  private boolean does(Harm harm, String line) {
    Predicate<String> which = harms.get(harm);
    return which != null && which.test(line);
  }

  private static String[] segments(String path) {
    String[] segments = path.substring(1).split("/", -1);
    for (int i = 0; i < segments.length; i++) {
      segments[i] = URLDecoder.decode(segments[i], StandardCharsets.UTF_8);
    }
    return segments;
  }

  private ObjectNode whole(String what) {
    ObjectNode answer = Json.object();
    switch (what) {
      case "whoami" -> answer.put("user_id", BOT).put("device_id", "DEVICE");
      case "versions" -> answer.putArray("versions").add("v1.1").add("v1.11");
      case "joined_rooms" ->
          members.keySet().stream()
              .filter(this::hasJoined)
              .forEach(answer.putArray("joined_rooms")::add);
      // What clients of people ask for at their start.
      case "pushrules" -> answer.putObject("global");
      case "filter" -> answer.put("filter_id", "0");
      default -> answer.put("errcode", "M_UNRECOGNIZED");
    }
    return answer;
  }

  /** {@code path}: _matrix, client, v3, rooms, the room, what, and more. */
  private ObjectNode ofRoom(HttpServerRequest request, String[] path, String body, String user) {
    String room = path[4];
    ObjectNode answer = Json.object();
    if (!path[5].equals("join") && !hasJoined(room, user)) {
      return answer.put("errcode", "M_FORBIDDEN");
    }
    switch (path[5]) {
      case "send", "redact" -> answer.put("event_id", send(room, path, body, user));
      case "joined_members" -> {
        ObjectNode joined = answer.putObject("joined");
        membersOf(room).forEach(joined::putObject);
      }
      case "join" -> {
        inviters.remove(room);
        membersOf(room).add(BOT);
        ObjectNode content = Json.object();
        content.put("membership", "join");
        String event = add(room, "m.room.member", BOT, content);
        events.getLast().event().put("state_key", BOT);
        answer.put("room_id", room).put("event_id", event);
      }
      case "messages" -> history(request, room, answer);
      case "state" -> answer.put("errcode", "M_NOT_FOUND");
      default -> {} // typing and receipts
    }
    return answer;
  }

  private String send(String room, String[] path, String body, String user) {
    return transactions.computeIfAbsent(
        user + " " + String.join("/", path),
        _ -> {
          boolean isMessage = path[5].equals("send");
          String type = isMessage ? path[6] : "m.room.redaction";
          String event = add(room, type, user, (ObjectNode) Json.read(body));
          if (!isMessage) {
            events.getLast().event().put("redacts", path[6]);
          }
          return event;
        });
  }

  private void sync(HttpServerRequest request, String user) {
    JsonNode filter = Json.read(request.getParam("filter", "{}")).path("room");
    String since = request.getParam("since", "");
    long from = since.isEmpty() ? 0 : Long.parseLong(since.substring(1));
    read = user.equals(BOT) ? Math.max(read, from) : read;
    boolean isNews =
        since.isEmpty()
            || hasUntold()
            || events.stream()
                .anyMatch(event -> event.number() > from && isTold(event, filter, user));
    long timeout = Long.parseLong(request.getParam("timeout", "0"));
    if (!isNews && timeout > 0) {
      boolean[] isOver = {false};
      Runnable now =
          () -> {
            if (!isOver[0]) {
              isOver[0] = true;
              answer(request, "GET /sync", synced(since, from, filter, user));
            }
          };
      waiting.add(now);
      long _ = vertx.setTimer(timeout, _ -> runLocked(now));
      return;
    }
    answer(request, "GET /sync", synced(since, from, filter, user));
  }

  private synchronized void runLocked(Runnable job) {
    job.run();
  }

  private boolean isTold(RoomEvent event, JsonNode filter, String user) {
    return hasJoined(event.room(), user) && isWanted(event, filter.path("timeline"));
  }

  private static boolean isWanted(RoomEvent event, JsonNode filter) {
    return has(filter.path("types"), event.type())
        && has(filter.path("senders"), event.event().path("sender").asText());
  }

  private static boolean has(JsonNode list, String value) {
    for (JsonNode each : list) {
      if (each.asText().equals(value)) {
        return true;
      }
    }
    return list.isMissingNode();
  }

  private boolean hasUntold() {
    return !told.containsAll(inviters.keySet());
  }

  private ObjectNode synced(String since, long from, JsonNode filter, String user) {
    ObjectNode answer = Json.object();
    answer.put("next_batch", "s" + events.size());
    ObjectNode rooms = answer.putObject("rooms");
    ObjectNode invited = rooms.putObject("invite");
    inviters.forEach(
        (room, inviter) -> {
          if (user.equals(BOT) && (told.add(room) || since.isEmpty())) {
            ObjectNode event = Json.object();
            event.put("type", "m.room.member").put("sender", inviter).put("state_key", BOT);
            event.putObject("content").put("membership", "invite").put("is_direct", true);
            invited.putObject(room).putObject("invite_state").putArray("events").add(event);
          }
        });
    ObjectNode joined = rooms.putObject("join");
    int limit = filter.path("timeline").path("limit").asInt(10);
    for (String room : members.keySet()) {
      List<RoomEvent> all =
          events.stream()
              .filter(event -> event.room().equals(room) && event.number() > from)
              .filter(event -> isTold(event, filter, user))
              .toList();
      if (!user.equals(BOT) && since.isEmpty() && hasJoined(room, user)) {
        state(room, joined.putObject(room).putObject("state").putArray("events"));
      }
      if (all.isEmpty()) {
        continue;
      }
      List<RoomEvent> last = all.subList(Math.max(0, all.size() - limit), all.size());
      ObjectNode timeline = joined.withObjectProperty(room).putObject("timeline");
      timeline.put("limited", last.size() < all.size());
      timeline.put("prev_batch", "t" + (last.getFirst().number() - 1));
      ArrayNode list = timeline.putArray("events");
      last.forEach(event -> list.add(event.event()));
    }
    return answer;
  }

  /** What a client of a person has to know of a room. */
  private void state(String room, ArrayNode state) {
    String maker = membersOf(room).iterator().next();
    state
        .addObject()
        .put("type", "m.room.create")
        .put("event_id", "$create" + room.hashCode())
        .put("sender", maker)
        .put("state_key", "")
        .putObject("content")
        .put("room_version", "11");
    for (String member : membersOf(room)) {
      state
          .addObject()
          .put("type", "m.room.member")
          .put("event_id", "$join" + (room + member).hashCode())
          .put("sender", member)
          .put("state_key", member)
          .putObject("content")
          .put("membership", "join");
    }
  }

  private void history(HttpServerRequest request, String room, ObjectNode answer) {
    String from = request.getParam("from", "t" + events.size());
    String to = request.getParam("to", "s0");
    long last = Long.parseLong(from.substring(1));
    long first = Long.parseLong(to.substring(1));
    int limit = Integer.parseInt(request.getParam("limit", "10"));
    JsonNode filter = Json.read(request.getParam("filter", "{}"));
    ArrayNode chunk = answer.putArray("chunk");
    for (long number = last; number > first && chunk.size() < limit; number--) {
      RoomEvent event = events.get((int) number - 1);
      if (event.room().equals(room) && isWanted(event, filter)) {
        chunk.add(event.event());
      }
      if (chunk.size() == limit && number - 1 > first) {
        answer.put("end", "t" + (number - 1));
      }
    }
  }

  private void answer(HttpServerRequest request, String line, ObjectNode answer) {
    if (does(Harm.LOSE_ANSWER, line)) {
      var _ = request.connection().close();
      return;
    }
    int status =
        switch (answer.path("errcode").asText()) {
          case "" -> 200;
          case "M_FORBIDDEN" -> 403;
          default -> 404;
        };
    end(request, status, answer);
  }

  private static void refuse(HttpServerRequest request, int status, String code) {
    end(
        request,
        status,
        Json.object().put("errcode", code).put("error", "no").put("retry_after_ms", 500));
  }

  private static void end(HttpServerRequest request, int status, ObjectNode answer) {
    var _ =
        request
            .response()
            .setStatusCode(status)
            .putHeader("content-type", "application/json")
            .end(Json.write(answer));
  }

  @Override
  public void close() {
    if (pusher != null) {
      pusher.interrupt();
    }
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }
}
