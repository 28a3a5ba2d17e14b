package dev.holdfast.kit.testing;

import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Discord with one bot, as its documentation has it: the REST API and the Gateway. A session keeps
 * its events: whoever resumes gets those after the number that it names. The history has no nonces.
 */
public class DiscordDouble extends HttpDouble {
  public static final String TOKEN = "canary.token.of.discord";
  public static final String APP = "901";
  public static final String BOT = "900";

  /** A channel of a server. */
  public static final String CHANNEL = "51";

  private static final String GUILD = "40";
  private static final String MEMBER = "9";
  private static final String BASE = "/api/v10";
  private static final int BEAT_MILLIS = 6000;

  /** The session that events go to; what it has sent, and the socket that it is connected by. */
  private String session = "";

  private final List<Map<String, Object>> events = new ArrayList<>();
  private @Nullable WireSocket socket;

  /** Messages of all channels, by their ids. */
  private final Map<String, Map<String, Object>> messages = new LinkedHashMap<>();

  private final Set<String> commands = new TreeSet<>();

  /** What interactions were answered with, by their ids. */
  private final Map<String, String> answers = new LinkedHashMap<>();

  private long clock;
  private int person;
  private long taken;
  private int losePercent;
  private Random random = new Random(1);
  private int resumes;
  private int identifies;
  private int connections;
  private boolean isSilent;

  public DiscordDouble() {
    this(2_000_000_000_000_000_000L);
  }

  /** {@code lastId}: the ids of messages come after it. */
  protected DiscordDouble(long lastId) {
    clock = lastId;
  }

  /** Forgets what was written. */
  @Override
  public final synchronized void reset() {
    super.reset();
    messages.clear();
    resumes = 0;
  }

  public final String baseUrl() {
    return url() + BASE;
  }

  public final String gatewayUrl() {
    return url().replace("http", "ws");
  }

  @Override
  protected final synchronized Consumer<String> opened(WireSocket opened, Asked handshake) {
    connections++;
    opened.send("{\"op\":10,\"d\":{\"heartbeat_interval\":" + BEAT_MILLIS + "}}");
    return frame -> heard(opened, JsonText.object(frame));
  }

  @Override
  protected final synchronized void closed(WireSocket ended) {
    if (socket == ended) {
      socket = null;
    }
  }

  private synchronized void heard(WireSocket from, Map<String, Object> frame) {
    switch ((int) JsonText.whole(frame, "op", -1)) {
      case 1 -> {
        taken = Math.max(taken, JsonText.whole(frame, "d", 0));
        if (!isSilent) {
          from.send("{\"op\":11}");
        }
      }
      case 2 -> identify(from, JsonText.map(frame, "d"));
      case 6 -> resume(from, JsonText.map(frame, "d"));
      default -> throw new IllegalStateException("op " + frame);
    }
  }

  private boolean refuses(WireSocket from, Map<String, Object> data) {
    if (!JsonText.text(data, "token").equals(TOKEN)) {
      from.close(4004, "Authentication failed.");
      return true;
    }
    return false;
  }

  private void identify(WireSocket from, Map<String, Object> data) {
    if (refuses(from, data)) {
      return;
    }
    identifies++;
    isSilent = false;
    session = "session" + identifies;
    events.clear();
    taken = 0;
    socket = from;
    dispatch(
        "READY",
        Map.of(
            "session_id", session, "resume_gateway_url", gatewayUrl(), "user", Map.of("id", BOT)));
  }

  private void resume(WireSocket from, Map<String, Object> data) {
    if (refuses(from, data)) {
      return;
    }
    if (!JsonText.text(data, "session_id").equals(session)) {
      from.send("{\"op\":9,\"d\":false}");
      return;
    }
    resumes++;
    isSilent = false;
    socket = from;
    int seen = (int) JsonText.whole(data, "seq", 0);
    taken = Math.max(taken, seen);
    events.subList(seen, events.size()).forEach(event -> from.send(JsonText.write(event)));
    dispatch("RESUMED", Map.of());
  }

  private void dispatch(String type, Map<String, ?> data) {
    if (session.isEmpty()) {
      return;
    }
    Map<String, Object> frame = event(events.size() + 1, type, data);
    events.add(frame);
    if (socket != null && !isSilent) {
      socket.send(JsonText.write(frame));
    }
  }

  /** What the Gateway sends of an event. */
  public static Map<String, Object> event(long number, String type, Map<String, ?> data) {
    return Map.of("op", 0, "s", number, "t", type, "d", new LinkedHashMap<>(data));
  }

  /** Somebody writes directly to the bot, each time another person. */
  public final synchronized void say(String text) {
    person++;
    Map<String, Object> _ = write("6" + person, "7" + person, text, Map.of());
  }

  /**
   * A person writes directly to the bot.
   *
   * @return the key by which the server knows the message
   */
  public final synchronized String say(int who, String text) {
    return "8" + who + ":" + write("8" + who, "9" + who, text, Map.of()).get("id");
  }

  /** Somebody mentions the bot in {@link #CHANNEL}. */
  public final synchronized void mention(String text) {
    write(
        CHANNEL,
        MEMBER,
        "<@" + BOT + "> " + text,
        Map.of("guild_id", GUILD, "mentions", List.of(Map.of("id", BOT, "username", "helper"))));
  }

  /** What the bot has written to a person, as it stands there now. */
  public final List<String> shown(int who) {
    return cards(who).stream().map(Card::text).toList();
  }

  /** What the bot has written to a person, with its buttons. */
  public final synchronized List<Card> cards(int who) {
    return own()
        .filter(message -> JsonText.text(message, "channel_id").equals("8" + who))
        .map(DiscordDouble::card)
        .toList();
  }

  private Stream<Map<String, Object>> own() {
    return messages.values().stream()
        .filter(message -> JsonText.text(JsonText.map(message, "author"), "id").equals(BOT));
  }

  private static Card card(Map<String, Object> message) {
    Map<String, String> tokens = new LinkedHashMap<>();
    for (Map<String, Object> row : JsonText.maps(message, "components")) {
      for (Map<String, Object> button : JsonText.maps(row, "components")) {
        tokens.put(JsonText.text(button, "label"), JsonText.text(button, "custom_id"));
      }
    }
    return new Card(JsonText.text(message, "id"), JsonText.text(message, "content"), tokens);
  }

  /**
   * A person presses a button in the conversation with the bot.
   *
   * @return the id of the interaction, which is answered
   */
  public final synchronized String press(int who, Card card, String label) {
    Map<String, Object> press = interaction(who, 3);
    press.put("data", Map.of("custom_id", card.token(label), "component_type", 2));
    press.put("message", Map.of("id", card.id()));
    dispatch("INTERACTION_CREATE", press);
    return JsonText.text(press, "id");
  }

  /** A person uses {@code /ask} in the conversation with the bot. */
  public final synchronized void ask(int who, String text) {
    Map<String, Object> ask = interaction(who, 2);
    ask.put("data", asking(text));
    dispatch("INTERACTION_CREATE", ask);
  }

  /** What an interaction says of {@code /ask}. */
  public static Map<String, Object> asking(String text) {
    return Map.of(
        "type",
        1,
        "name",
        "ask",
        "options",
        List.of(Map.of("name", "text", "type", 3, "value", text)));
  }

  private Map<String, Object> interaction(int who, int type) {
    clock++;
    Map<String, Object> interaction = interaction(Long.toString(clock), type, "8" + who, 1);
    interaction.put("user", Map.of("id", "9" + who, "username", "ann"));
    return interaction;
  }

  /** An interaction of nobody, without data. */
  public static Map<String, Object> interaction(
      String id, int type, String channel, int channelType) {
    Map<String, Object> interaction = new LinkedHashMap<>();
    interaction.put("id", id);
    interaction.put("application_id", APP);
    interaction.put("type", type);
    interaction.put("token", "tok_" + id);
    interaction.put("channel_id", channel);
    interaction.put("channel", Map.of("id", channel, "type", channelType));
    return interaction;
  }

  /** What a person was told of an interaction. */
  public final synchronized Optional<String> answer(String interaction) {
    return Optional.ofNullable(answers.get(interaction));
  }

  /** From now on some replies are posted, and their answers lost. */
  public final synchronized void loseAnswers(Random by, int percent) {
    random = by;
    losePercent = percent;
  }

  /** Whether the last heartbeat names the last event, but for notices of resumes. */
  public final synchronized boolean isAllTaken() {
    return events.stream()
        .skip(taken)
        .noneMatch(event -> JsonText.text(event, "t").equals("MESSAGE_CREATE"));
  }

  /** A message, as the Gateway tells of it. */
  public static Map<String, Object> message(String channel, String id, String author, String text) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("type", 0L);
    message.put("channel_id", channel);
    message.put("content", text);
    message.put("author", Map.of("id", author, "username", "ann"));
    return message;
  }

  private Map<String, Object> write(
      String channel, String author, String text, Map<String, ?> more) {
    clock++;
    Map<String, Object> message = message(channel, Long.toString(clock), author, text);
    message.putAll(more);
    messages.put(Long.toString(clock), message);
    dispatch("MESSAGE_CREATE", message);
    message.keySet().removeAll(Set.of("nonce", "guild_id"));
    return message;
  }

  /** The connection stays, and nothing comes over it any more. */
  public final synchronized void fallSilent() {
    isSilent = true;
  }

  /** The session is over, and so is its connection. */
  public final synchronized void forgetSession() {
    session = "";
    if (socket != null) {
      socket.close(4009, "Session timed out.");
    }
  }

  /** Whether there was a connection: before the first one, nothing is kept for the bot. */
  public final synchronized boolean hasSession() {
    return !session.isEmpty();
  }

  public final synchronized boolean isConnected() {
    return socket != null;
  }

  public final synchronized int resumes() {
    return resumes;
  }

  public final synchronized int connections() {
    return connections;
  }

  public final synchronized Set<String> commands() {
    return Set.copyOf(commands);
  }

  /** What the bot has written, as it stands there now. */
  public final synchronized List<String> texts() {
    return own().map(message -> JsonText.text(message, "content")).toList();
  }

  /** The method and the path below {@link #baseUrl}. */
  @Override
  protected final String call(Asked request) {
    return request.method()
        + " "
        + request.path().replaceFirst("^" + BASE, "").replaceFirst("\\?.*", "");
  }

  /** An error as Discord writes it. */
  public static Said error(int status, long code) {
    return Said.json(status, "{\"code\":" + code + ",\"message\":\"told by Discord\"}");
  }

  @Override
  protected final synchronized Said usual(Asked request) {
    String call = call(request);
    boolean isOfToken = call.matches("\\w+ /(webhooks|interactions)/.*");
    if (!request.path().startsWith(BASE)) {
      return new Said(404, Map.of(), "");
    }
    if (!request.header("user-agent").startsWith("DiscordBot (")) {
      return error(403, 40333);
    }
    if (!isOfToken && !request.header("authorization").equals("Bot " + TOKEN)) {
      return error(401, 0);
    }
    Map<String, Object> body = body(request);
    Said answer = does(call, request, body);
    boolean isReply = body.containsKey("nonce") || request.method().equals("PATCH");
    return isReply && random.nextInt(100) < losePercent ? Said.nothing() : answer;
  }

  /** Files come beside what is said of the message. */
  private static Map<String, Object> body(Asked request) {
    return request.body().startsWith("{") ? JsonText.object(request.body()) : Map.of();
  }

  private Said does(String call, Asked request, Map<String, Object> body) {
    String[] parts = call.split("/", -1);
    return switch (call.replaceAll("/[0-9]+", "/ID").replaceAll("/tok_\\w+", "/TOKEN")) {
      case "GET /users/@me" -> ok(Map.of("id", BOT, "username", "helper"));
      case "GET /applications/@me" -> ok(Map.of("id", APP, "flags", 1 << 19));
      case "GET /gateway/bot" ->
          ok(
              Map.of(
                  "url",
                  gatewayUrl(),
                  "shards",
                  1,
                  "session_start_limit",
                  Map.of("total", 1000, "remaining", 999, "reset_after", 0)));
      case "GET /applications/ID/commands" -> ok(List.of());
      case "POST /applications/ID/commands" -> {
        commands.add(JsonText.text(body, "name"));
        yield ok(Map.of("id", Integer.toString(commands.size())));
      }
      case "GET /channels/ID" -> channel(parts[2]);
      case "GET /guilds/ID/members/ID" -> ok(Map.of("roles", List.of()));
      case "GET /guilds/ID/roles" -> ok(List.of(Map.of("id", GUILD, "permissions", "8")));
      case "GET /channels/ID/messages" -> history(parts[2], request.path());
      case "POST /channels/ID/messages" -> ok(write(parts[2], BOT, text(body), kept(body)));
      case "PATCH /channels/ID/messages/ID" -> edited(parts[4], body);
      case "DELETE /channels/ID/messages/ID" -> {
        messages.remove(parts[4]);
        yield done();
      }
      case "POST /interactions/ID/TOKEN/callback" -> {
        answers.put(parts[2], text(JsonText.map(body, "data")));
        yield done();
      }
      case "POST /channels/ID/typing", "DELETE /webhooks/ID/TOKEN/messages/@original" -> done();
      case "PATCH /webhooks/ID/TOKEN/messages/@original",
          "PATCH /webhooks/ID/TOKEN/messages/ID",
          "POST /webhooks/ID/TOKEN" ->
          ok(write("50", BOT, text(body), Map.of()));
      default -> error(404, 10003);
    };
  }

  private static Said ok(Object body) {
    return Said.json(200, JsonText.write(body));
  }

  private static Said done() {
    return new Said(204, Map.of(), "");
  }

  private static String text(Map<String, Object> body) {
    return JsonText.text(body, "content");
  }

  private Said channel(String id) {
    if (id.equals(CHANNEL)) {
      return ok(Map.of("id", CHANNEL, "type", 0, "guild_id", GUILD));
    }
    boolean isKnown =
        messages.values().stream().anyMatch(each -> JsonText.text(each, "channel_id").equals(id));
    return isKnown ? ok(Map.of("id", id, "type", 1)) : error(404, 10003);
  }

  /** What a message keeps of a post, beside its text. */
  private static Map<String, Object> kept(Map<String, Object> body) {
    Map<String, Object> kept = new LinkedHashMap<>(body);
    kept.keySet().retainAll(Set.of("nonce", "components", "message_reference"));
    return kept;
  }

  private Said edited(String id, Map<String, Object> body) {
    @Nullable Map<String, Object> message = messages.get(id);
    if (message == null) {
      return error(404, 10008);
    }
    message.put("content", text(body));
    message.putAll(kept(body));
    return ok(message);
  }

  private Said history(String channel, String path) {
    String after = path.contains("after=") ? path.replaceFirst(".*after=(\\d+).*", "$1") : "";
    return ok(
        messages.values().stream()
            .filter(message -> JsonText.text(message, "channel_id").equals(channel))
            .filter(message -> JsonText.text(message, "id").compareTo(after) > 0)
            .toList()
            .reversed());
  }
}
