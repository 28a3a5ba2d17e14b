package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A homeserver with the account of a bot, as the client-server API v1.11 has it: rooms are lists of
 * events, {@code /sync} waits for news, and a transaction that came before is the event that it
 * was. Tokens are {@code s} or {@code t} and the number of the last event before them.
 */
public class HomeserverDouble extends HttpDouble {
  public static final String TOKEN = "syt_canary_of_matrix";
  public static final String BOT = "@bot:hs.example";

  private final PlainHttp http = new PlainHttp();
  private final List<RoomEvent> events = new ArrayList<>();
  private final Map<String, Set<String>> members = new LinkedHashMap<>();

  /** How far the bot has read, and how many events were pushed. */
  private long read;

  private long pushed;

  private final Map<String, String> transactions = new HashMap<>();

  /** Whose a token is. */
  private final Map<String, String> users = new HashMap<>(Map.of(TOKEN, BOT));

  private boolean losesNext;
  private Random losses = new Random(0);
  private int lossPercent;
  private @Nullable Thread pusher;

  /** {@code number}: from 1, over all rooms. */
  private record RoomEvent(long number, String room, Map<String, Object> event) {
    private String text(String key) {
      return JsonText.text(event, key);
    }

    private Map<String, Object> content() {
      return JsonText.map(event, "content");
    }
  }

  /** From now on some events are sent, and their answers lost. */
  public final synchronized void loseAnswers(Random chance, int percent) {
    losses = chance;
    lossPercent = percent;
  }

  /** The next event is sent, and its answer lost. */
  public final synchronized void loseNextAnswer() {
    losesNext = true;
  }

  private boolean isLost() {
    boolean isNext = losesNext;
    losesNext = false;
    return isNext || losses.nextInt(100) < lossPercent;
  }

  /**
   * Sends what happens to an application service, one event in each transaction, and the same one
   * again until it is taken.
   *
   * @param url of the registration
   */
  public final void pushTo(String url, String hsToken) {
    pusher =
        Thread.startVirtualThread(
            () -> {
              try {
                push(url + "/_matrix/app/v1/transactions/", hsToken);
              } catch (InterruptedException _) {
                // It is closed.
              }
            });
  }

  private void push(String url, String hsToken) throws InterruptedException {
    for (int number = 0; ; ) {
      Map<String, ?> transaction = Map.of("events", List.of(await(number)));
      if (toService("PUT", url + number, hsToken, transaction) == 200) {
        number++;
        notePushed(number);
      } else {
        Thread.sleep(20); // nobody is there yet
      }
    }
  }

  private synchronized Map<String, Object> await(int number) throws InterruptedException {
    while (number >= events.size()) {
      wait();
    }
    Map<String, Object> event = new LinkedHashMap<>(events.get(number).event());
    event.put("room_id", events.get(number).room());
    return event;
  }

  private synchronized void notePushed(int number) {
    pushed = number;
  }

  /** Whether the bot has asked for what comes after the last event, or has taken that. */
  public final synchronized boolean isAllTaken() {
    return Math.max(read, pushed) == events.size();
  }

  /** The status of its answer; 0 when there is none. */
  private int toService(String method, String url, String hsToken, Map<String, ?> body)
      throws InterruptedException {
    Map<String, String> headers =
        Map.of("authorization", "Bearer " + hsToken, "content-type", "application/json");
    byte[] bytes = JsonText.write(body).getBytes(StandardCharsets.UTF_8);
    Duration timeout = Duration.ofSeconds(10);
    try {
      return http.send(
              new PluginHttp.Request(method, url, headers, bytes, timeout, 1024 * 1024, false))
          .status();
    } catch (CallFailedException _) {
      return 0;
    }
  }

  /** A room of the bot and these people. */
  public final synchronized String room(String name, String... people) {
    String room = "!" + name + ":hs.example";
    Set<String> joined = new TreeSet<>(List.of(people));
    joined.add(BOT);
    members.put(room, joined);
    return room;
  }

  /** A token for a client of a person. */
  public final synchronized String login(String person) {
    users.put("syt_of_" + person, person);
    return "syt_of_" + person;
  }

  /** Returns the key of the message. */
  public final String say(String room, String person, String text) {
    return say(room, person, text, Map.of());
  }

  /** {@code more}: other members of its content. */
  public final synchronized String say(
      String room, String person, String text, Map<String, ?> more) {
    Map<String, Object> content = new LinkedHashMap<>(more);
    content.put("msgtype", "m.text");
    content.put("body", text);
    return room + "|" + add(room, "m.room.message", person, content);
  }

  private Set<String> membersOf(String room) {
    return members.getOrDefault(room, new TreeSet<>());
  }

  private boolean hasJoined(String room, String user) {
    return membersOf(room).contains(user);
  }

  private String add(String room, String type, String sender, Map<String, Object> content) {
    long number = events.size() + 1L;
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("type", type);
    event.put("event_id", "$e" + number);
    event.put("sender", sender);
    event.put("origin_server_ts", 1_700_000_000_000L + number);
    event.put("content", content);
    events.add(new RoomEvent(number, room, event));
    notifyAll();
    return "$e" + number;
  }

  /** What people read of the bot in a room now: edited, and without what was taken away. */
  public final synchronized List<String> shown(String room) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (RoomEvent event : events) {
      if (!event.room().equals(room) || !event.text("sender").equals(BOT)) {
        continue;
      }
      Map<String, Object> relation = JsonText.map(event.content(), "m.relates_to");
      if (event.text("type").equals("m.room.redaction")) {
        texts.remove(event.text("redacts"));
      } else if (JsonText.text(relation, "rel_type").equals("m.replace")) {
        String edited = JsonText.text(JsonText.map(event.content(), "m.new_content"), "body");
        texts.replace(JsonText.text(relation, "event_id"), edited);
      } else if (event.text("type").equals("m.room.message")) {
        texts.put(event.text("event_id"), JsonText.text(event.content(), "body"));
      }
    }
    return List.copyOf(texts.values());
  }

  /** The contents of what the bot has written in a room, its edits too, in their order. */
  public final synchronized List<Map<String, Object>> written(String room) {
    return events.stream()
        .filter(event -> event.room().equals(room) && event.text("type").equals("m.room.message"))
        .filter(event -> event.text("sender").equals(BOT))
        .map(RoomEvent::content)
        .toList();
  }

  /** The line of the request. */
  @Override
  protected final String call(Asked request) {
    return request.method() + " " + request.path() + "\n";
  }

  /** A call is any part of the line. */
  @Override
  protected final boolean isOf(String call, Asked request) {
    return call(request).contains(call);
  }

  @Override
  protected final synchronized Said usual(Asked request) throws InterruptedException {
    String token = request.header("authorization").replaceFirst("^Bearer ", "");
    String user = users.getOrDefault(token, "");
    if (user.isEmpty()) {
      return refused(401, "M_UNKNOWN_TOKEN", "");
    }
    String[] path = segments(request.path().replaceFirst("\\?.*", ""));
    if (path.length == 4 && path[3].equals("sync")) {
      return sync(request.query(), user);
    }
    if (path.length > 5 && path[3].equals("rooms")) {
      Said answer = ofRoom(request, path, user);
      return path[5].equals("send") && isLost() ? Said.nothing() : answer;
    }
    return whole(path[path.length - 1].isEmpty() ? path[3] : path[path.length - 1]);
  }

  private static String[] segments(String path) {
    String[] segments = path.substring(1).split("/", -1);
    for (int i = 0; i < segments.length; i++) {
      segments[i] = URLDecoder.decode(segments[i], StandardCharsets.UTF_8);
    }
    return segments;
  }

  private static Said ok(Map<String, ?> body) {
    return Said.json(200, JsonText.write(body));
  }

  /** {@code more}: other members, each behind a comma. */
  public static Said refused(int status, String code, String more) {
    return Said.json(status, "{\"errcode\":\"" + code + "\",\"error\":\"no\"" + more + "}");
  }

  private Said whole(String what) {
    return switch (what) {
      case "whoami" -> ok(Map.of("user_id", BOT, "device_id", "D1"));
      case "versions" -> ok(Map.of("versions", List.of("r0.6.1", "v1.1", "v1.11")));
      case "joined_rooms" ->
          ok(
              Map.of(
                  "joined_rooms",
                  members.keySet().stream().filter(room -> hasJoined(room, BOT)).toList()));
      case "upload" -> ok(Map.of("content_uri", "mxc://hs.example/Up1"));
      // What clients of people ask for at their start.
      case "pushrules" -> ok(Map.of("global", Map.of()));
      case "filter" -> ok(Map.of("filter_id", "0"));
      default -> refused(404, "M_UNRECOGNIZED", "");
    };
  }

  /** {@code path}: _matrix, client, v3, rooms, the room, what, and more. */
  private Said ofRoom(Asked request, String[] path, String user) {
    String room = path[4];
    if (!path[5].equals("join") && !hasJoined(room, user)) {
      return refused(403, "M_FORBIDDEN", "");
    }
    return switch (path[5]) {
      case "send", "redact" -> ok(Map.of("event_id", send(room, path, request.body(), user)));
      case "joined_members" -> {
        Map<String, Object> joined = new LinkedHashMap<>();
        membersOf(room).forEach(member -> joined.put(member, Map.of()));
        yield ok(Map.of("joined", joined));
      }
      case "join" -> {
        membersOf(room).add(BOT);
        String event = add(room, "m.room.member", BOT, Map.of("membership", "join"));
        events.getLast().event().put("state_key", BOT);
        yield ok(Map.of("room_id", room, "event_id", event));
      }
      case "messages" -> history(request.query(), room);
      case "state" -> refused(404, "M_NOT_FOUND", "");
      default -> ok(Map.of()); // typing and receipts
    };
  }

  private String send(String room, String[] path, String body, String user) {
    return transactions.computeIfAbsent(
        user + " " + String.join("/", path),
        _ -> {
          boolean isMessage = path[5].equals("send");
          String type = isMessage ? path[6] : "m.room.redaction";
          String event = add(room, type, user, JsonText.object(body));
          if (!isMessage) {
            events.getLast().event().put("redacts", path[6]);
          }
          return event;
        });
  }

  /** Waits for any event: then it is asked again, and that is how it is known to be read. */
  private Said sync(Map<String, String> query, String user) throws InterruptedException {
    Map<String, Object> filter = JsonText.map(filter(query), "room");
    String since = query.getOrDefault("since", "");
    long from = since.isEmpty() ? 0 : Long.parseLong(since.substring(1));
    read = user.equals(BOT) ? Math.max(read, from) : read;
    boolean isNews =
        since.isEmpty()
            || events.stream()
                .anyMatch(event -> event.number() > from && isTold(event, filter, user));
    int size = events.size();
    long end = System.nanoTime() + Long.parseLong(query.getOrDefault("timeout", "0")) * 1_000_000;
    while (!isNews && size == events.size() && end - System.nanoTime() > 0) {
      wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
    }
    return ok(synced(since, from, filter, user));
  }

  /** One that was stored before is known by its id, and everything passes it. */
  private static Map<String, Object> filter(Map<String, String> query) {
    String filter = query.getOrDefault("filter", "");
    return filter.startsWith("{") ? JsonText.object(filter) : Map.of();
  }

  private boolean isTold(RoomEvent event, Map<String, Object> filter, String user) {
    return hasJoined(event.room(), user) && isWanted(event, JsonText.map(filter, "timeline"));
  }

  private static boolean isWanted(RoomEvent event, Map<String, Object> filter) {
    return has(filter, "types", event.text("type")) && has(filter, "senders", event.text("sender"));
  }

  private static boolean has(Map<String, Object> filter, String key, String value) {
    return !(filter.get(key) instanceof List<?> list) || list.contains(value);
  }

  private Map<String, Object> synced(
      String since, long from, Map<String, Object> filter, String user) {
    Map<String, Object> joined = new LinkedHashMap<>();
    int limit = (int) JsonText.whole(JsonText.map(filter, "timeline"), "limit", 10);
    for (String room : members.keySet()) {
      Map<String, Object> parts = new LinkedHashMap<>();
      List<RoomEvent> all =
          events.stream()
              .filter(event -> event.room().equals(room) && event.number() > from)
              .filter(event -> isTold(event, filter, user))
              .toList();
      if (!user.equals(BOT) && since.isEmpty() && hasJoined(room, user)) {
        parts.put("state", Map.of("events", state(room)));
      }
      if (!all.isEmpty()) {
        parts.put("timeline", timeline(all, limit));
      }
      if (!parts.isEmpty()) {
        joined.put(room, parts);
      }
    }
    Map<String, ?> rooms = Map.of("invite", Map.of(), "join", joined);
    return Map.of("next_batch", "s" + events.size(), "rooms", rooms);
  }

  private static Map<String, Object> timeline(List<RoomEvent> all, int limit) {
    List<RoomEvent> last = all.subList(Math.max(0, all.size() - limit), all.size());
    return Map.of(
        "limited",
        last.size() < all.size(),
        "prev_batch",
        "t" + (last.getFirst().number() - 1),
        "events",
        last.stream().map(RoomEvent::event).toList());
  }

  /** What a client of a person has to know of a room. */
  private List<Map<String, ?>> state(String room) {
    List<Map<String, ?>> state = new ArrayList<>();
    String maker = membersOf(room).iterator().next();
    state.add(state(room, "m.room.create", maker, "", Map.of("room_version", "11")));
    for (String member : membersOf(room)) {
      state.add(state(room, "m.room.member", member, member, Map.of("membership", "join")));
    }
    return state;
  }

  private static Map<String, ?> state(
      String room, String type, String sender, String key, Map<String, ?> content) {
    String id = "$state" + (room + type + sender + key).hashCode();
    return Map.of(
        "type", type, "event_id", id, "sender", sender, "state_key", key, "content", content);
  }

  private Said history(Map<String, String> query, String room) {
    long last = events.size();
    last = Math.min(last, Long.parseLong(query.getOrDefault("from", "t" + last).substring(1)));
    long first = Long.parseLong(query.getOrDefault("to", "s0").substring(1));
    int limit = Integer.parseInt(query.getOrDefault("limit", "10"));
    List<Map<String, Object>> chunk = new ArrayList<>();
    Map<String, Object> answer = new LinkedHashMap<>(Map.of("chunk", chunk));
    for (long number = last; number > first && chunk.size() < limit; number--) {
      RoomEvent event = events.get((int) number - 1);
      if (event.room().equals(room) && isWanted(event, filter(query))) {
        chunk.add(event.event());
      }
      if (chunk.size() == limit && number - 1 > first) {
        answer.put("end", "t" + (number - 1));
      }
    }
    return ok(answer);
  }

  @Override
  public void close() {
    if (pusher != null) {
      pusher.interrupt();
    }
    super.close();
  }
}
