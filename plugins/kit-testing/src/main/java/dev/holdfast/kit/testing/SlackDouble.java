package dev.holdfast.kit.testing;

import dev.holdfast.kit.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Slack with one workspace and one app, as its documentation has it: the Web API and Socket Mode.
 * What was not acknowledged comes again with the next socket.
 */
public class SlackDouble extends HttpDouble {
  public static final String BOT_TOKEN = "xoxb-canary-of-slack";
  public static final String APP_TOKEN = "xapp-canary-of-slack";

  private static final String BASE = "/api/";

  private final List<WireSocket> sockets = new ArrayList<>();

  /** Frames that were not acknowledged, by envelope. */
  private final Map<String, String> open = new LinkedHashMap<>();

  /** What the app has posted, by its {@code ts}. */
  private final Map<String, Map<String, Object>> posts = new LinkedHashMap<>();

  /** What people wrote while the app had no socket, by channel. */
  private final Map<String, List<Map<String, Object>>> unheard = new LinkedHashMap<>();

  /** The conversation that was written in last. */
  private String channel = "";

  /** What only one person sees, by the person. */
  private final Map<String, List<String>> whispers = new LinkedHashMap<>();

  private int deliveries;
  private int presses;

  /** Of messages, in seconds; it runs ahead when there are many. */
  private long clock;

  private Random random = new Random(0);
  private int losePercent;
  private Consumer<String> acknowledgement = _ -> {};

  public SlackDouble() {
    this(Instant.now().minusSeconds(600).getEpochSecond());
  }

  /** {@code lastSecs}: messages are written after it. */
  protected SlackDouble(long lastSecs) {
    clock = lastSecs;
  }

  /** Forgets what was posted. */
  @Override
  public final synchronized void reset() {
    super.reset();
    posts.clear();
    unheard.clear();
  }

  public final String baseUrl() {
    return url() + "/api";
  }

  @Override
  protected final synchronized Consumer<String> opened(WireSocket socket, Asked handshake) {
    sockets.add(socket);
    socket.send("{\"type\":\"hello\",\"num_connections\":" + sockets.size() + "}");
    open.values().forEach(frame -> deliver(socket, frame));
    return this::acknowledged;
  }

  @Override
  protected final synchronized void closed(WireSocket socket) {
    sockets.remove(socket);
  }

  private synchronized void acknowledged(String frame) {
    String id = JsonText.text(JsonText.object(frame), "envelope_id");
    if (open.remove(id) != null) {
      acknowledgement.accept(id);
    }
  }

  private void deliver(WireSocket socket, String frame) {
    deliveries++;
    socket.send(frame);
  }

  /** Somebody writes directly to the app, each time another person. */
  public final synchronized void say(String text) {
    String _ = say("D" + (clock + 1), "U" + (clock + 1), text, _ -> {});
  }

  /**
   * One of some people writes directly to the app.
   *
   * @return the key by which the server knows the message
   */
  public final String say(int person, String text) {
    return say(person, text, _ -> {});
  }

  /**
   * The same.
   *
   * @param before is told the key before the message is delivered
   */
  public final synchronized String say(int person, String text, Consumer<String> before) {
    return say("D" + person, "U" + person, text, before);
  }

  private String say(String direct, String user, String text, Consumer<String> before) {
    clock++;
    channel = direct;
    String ts = clock + ".000001";
    Map<String, Object> event = message(direct, ts, user, text);
    event.put("channel_type", "im");
    String id = direct + ":" + ts;
    before.accept(id);
    String frame =
        JsonText.write(
            Map.of(
                "envelope_id", id, "type", "events_api", "payload", callback("Ev" + clock, event)));
    open.put(id, frame);
    if (!sockets.isEmpty()) {
      deliver(sockets.getLast(), frame);
    }
    return id;
  }

  /** An event of the only workspace, as it is delivered. */
  public static Map<String, Object> callback(String id, Map<String, ?> event) {
    return Map.of("type", "event_callback", "team_id", "T1", "event_id", id, "event", event);
  }

  /** A message, as events have it. */
  public static Map<String, Object> message(String channel, String ts, String user, String text) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("type", "message");
    event.put("channel", channel);
    event.put("ts", ts);
    event.put("user", user);
    event.put("text", text);
    return event;
  }

  /** What stands in the conversation with one of some people, with its buttons. */
  public final synchronized List<Card> cards(int person) {
    return posts.values().stream()
        .filter(post -> JsonText.text(post, "channel").equals("D" + person))
        .map(SlackDouble::card)
        .toList();
  }

  private static Card card(Map<String, Object> post) {
    Map<String, String> tokens = new LinkedHashMap<>();
    buttons(post).forEach(button -> tokens.put(label(button), JsonText.text(button, "value")));
    return new Card(JsonText.text(post, "ts"), JsonText.text(post, "text"), tokens);
  }

  private static Stream<Map<String, Object>> buttons(Map<String, Object> post) {
    return JsonText.maps(post, "blocks").stream()
        .flatMap(block -> JsonText.maps(block, "elements").stream());
  }

  private static String label(Map<String, Object> button) {
    return JsonText.text(JsonText.map(button, "text"), "text");
  }

  /**
   * One of some people presses a button. Slack sends it once: who sees nothing presses again.
   *
   * @return false when the app has no socket
   */
  public final synchronized boolean press(int person, Card card, String label) {
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
        JsonText.write(
            Map.of("envelope_id", "press" + presses, "type", "interactive", "payload", payload)));
    return true;
  }

  private String actionOf(Card card, String label) {
    return buttons(posts.getOrDefault(card.id(), Map.of()))
        .filter(button -> label(button).equals(label))
        .map(button -> JsonText.text(button, "action_id"))
        .findFirst()
        .orElse("holdfast_choice_0"); // an old screen: the button is gone meanwhile
  }

  /** What only this person was told. */
  public final synchronized List<String> whispers(int person) {
    return List.copyOf(whispers.getOrDefault("U" + person, List.of()));
  }

  /** Somebody writes in a conversation that the app has, and Slack has given up telling it. */
  public final synchronized void sayUnheard(String text) {
    clock++;
    Map<String, Object> message = message(channel, clock + ".000001", "U1", text);
    unheard.computeIfAbsent(channel, _ -> new ArrayList<>()).add(message);
  }

  /** What is told the key of each message that is acknowledged from now on. */
  public final synchronized void onAcknowledged(Consumer<String> told) {
    acknowledgement = told;
  }

  /** Ends the newest socket as Slack does when it refreshes one. */
  public final synchronized void refresh() {
    sockets.getLast().send("{\"type\":\"disconnect\",\"reason\":\"refresh_requested\"}");
  }

  /** What stands in the conversation with one of some people, in the order of the posts. */
  public final synchronized List<String> shown(int person) {
    return cards(person).stream().map(Card::text).toList();
  }

  /** From now on some replies are posted, and their answers lost. */
  public final synchronized void loseAnswers(Random by, int percent) {
    random = by;
    losePercent = percent;
  }

  public final synchronized boolean hasSocket() {
    return !sockets.isEmpty();
  }

  public final synchronized boolean isAllAcknowledged() {
    return open.isEmpty();
  }

  public final synchronized int deliveries() {
    return deliveries;
  }

  /** What stands in the conversation now, in the order of the posts. */
  public final synchronized List<String> texts() {
    return posts.values().stream().map(post -> JsonText.text(post, "text")).toList();
  }

  /** The method of the Web API. */
  @Override
  protected final String call(Asked request) {
    return request.path().replaceFirst("^" + BASE, "").replaceFirst("\\?.*", "");
  }

  @Override
  protected final synchronized Said usual(Asked request) {
    Map<String, String> form = form(request.body());
    String method = call(request);
    String wanted = method.equals("apps.connections.open") ? APP_TOKEN : BOT_TOKEN;
    if (!request.header("authorization").equals("Bearer " + wanted)) {
      return error("invalid_auth");
    }
    Said answer = does(method, form);
    boolean isReply = method.equals("chat.postMessage") && form.containsKey("metadata");
    boolean isLost = random.nextInt(100) < losePercent;
    return isLost && (isReply || method.equals("chat.update")) ? Said.nothing() : answer;
  }

  public static Said ok(Map<String, ?> members) {
    Map<String, Object> answer = new LinkedHashMap<>(members);
    answer.put("ok", true);
    return Said.json(200, JsonText.write(answer));
  }

  public static Said error(String code) {
    return Said.json(200, "{\"ok\":false,\"error\":\"" + code + "\"}");
  }

  private Said does(String method, Map<String, String> form) {
    return switch (method) {
      case "auth.test" ->
          new Said(
              200,
              Map.of("x-oauth-scopes", "chat:write,im:history, files:read"),
              "{\"ok\":true,\"user_id\":\"UBOT\",\"bot_id\":\"BBOT\",\"team_id\":\"T1\","
                  + "\"team\":\"Acme\"}");
      case "apps.connections.open" -> ok(Map.of("url", url().replace("http", "ws") + "/link"));
      case "chat.postMessage", "chat.startStream" -> {
        clock++;
        yield store(clock + ".000001", form);
      }
      case "chat.update" -> store(form.getOrDefault("ts", ""), form);
      case "chat.delete" -> {
        posts.remove(form.get("ts"));
        yield ok(Map.of());
      }
      case "chat.postEphemeral" -> {
        whispers
            .computeIfAbsent(form.getOrDefault("user", ""), _ -> new ArrayList<>())
            .add(form.getOrDefault("text", ""));
        yield ok(Map.of());
      }
      case "conversations.history", "conversations.replies" ->
          history(form.getOrDefault("channel", ""));
      case "chat.appendStream",
          "chat.stopStream",
          "assistant.threads.setStatus",
          "files.completeUploadExternal" ->
          ok(Map.of());
      default -> error("unknown_method");
    };
  }

  private Said history(String of) {
    return ok(
        Map.of(
            "messages",
            Stream.concat(
                    posts.values().stream()
                        .filter(post -> JsonText.text(post, "channel").equals(of)),
                    unheard.getOrDefault(of, List.of()).stream())
                .toList()));
  }

  private Said store(String ts, Map<String, String> form) {
    Map<String, Object> post =
        message(form.getOrDefault("channel", ""), ts, "UBOT", form.getOrDefault("text", ""));
    if (form.containsKey("metadata")) {
      post.put("metadata", JsonText.object(form.get("metadata")));
    }
    if (form.containsKey("blocks")) {
      post.putAll(JsonText.object("{\"blocks\":" + form.get("blocks") + "}"));
    } else if (posts.containsKey(ts)) {
      post.put("blocks", posts.get(ts).getOrDefault("blocks", List.of())); // an edit keeps them
    }
    posts.put(ts, post);
    return ok(Map.of("ts", ts));
  }
}
