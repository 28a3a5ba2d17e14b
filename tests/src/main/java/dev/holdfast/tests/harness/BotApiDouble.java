package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.kit.testing.Card;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The Bot API of Telegram, as its documentation has it, for one bot: keeps updates until they are
 * confirmed, by an offset or by the 2xx of a webhook, lets one poll at a time, and does harm when
 * it is told to. Thread-safe.
 */
public final class BotApiDouble implements AutoCloseable {
  /** A fragment of it found anywhere is a leak. */
  public static final String TOKEN = "900:AAcanary-5b1d7e";

  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final Duration WEBHOOK_AGAIN = Duration.ofMillis(200);

  private final WireServer server = new WireServer(this::receive);
  private final Http http = new Http();
  private final TreeMap<Long, JsonNode> updates = new TreeMap<>();
  private final List<Call> calls = new ArrayList<>();

  /** What the bot has sent, as it stands there now, by message. */
  private final Map<Long, JsonNode> messages = new TreeMap<>();

  private Predicate<Call> harm = _ -> false;
  private Harm kind = Harm.LOSE_ANSWER;
  private long lastUpdate = 1000;
  private long lastMessage = 5000;
  private long polls;
  private String webhookUrl = "";
  private String webhookSecret = "";
  private @Nullable Thread deliverer;

  /** What may be done to a call in place of its answer. */
  public enum Harm {
    /** It is done, and the connection breaks. */
    LOSE_ANSWER,
    /** Too Many Requests, for one second. */
    LIMIT,
    /** The token is no longer valid. */
    REVOKE,
    /** Another process polls. */
    CONFLICT,
    /** No answer ever. */
    HANG
  }

  /** A call of a method. */
  public record Call(String method, JsonNode parameters) {
    public String text() {
      return parameters.path("text").asText();
    }

    public String chat() {
      return parameters.path("chat_id").asText();
    }
  }

  public String url() {
    return server.url("");
  }

  /** From now on these calls are harmed; none when it is never true. */
  public synchronized void harm(Harm how, Predicate<Call> which) {
    kind = how;
    harm = which;
  }

  /** Forgets what it was asked, and does no harm any more. */
  public synchronized void reset() {
    calls.clear();
    heal();
  }

  public synchronized void heal() {
    harm = _ -> false;
  }

  /**
   * A person says something in a private chat, whose id is the person's.
   *
   * @return the key by which the server knows the message
   */
  public String say(long person, String text) {
    return say(person, person, "private", text, Json.object());
  }

  /** The same, said at that time, in whole seconds. */
  public String sayAt(Instant when, long person, String text) {
    ObjectNode date = Json.object().put("date", when.getEpochSecond());
    return say(person, person, "private", text, date);
  }

  /** Says something in a group, with more keys of the message. */
  public String sayInGroup(long person, long group, String text, ObjectNode more) {
    return say(person, group, "supergroup", text, more);
  }

  private synchronized String say(
      long person, long chat, String type, String text, ObjectNode more) {
    ObjectNode message = more.deepCopy();
    message.put("message_id", ++lastMessage).put("text", text);
    if (!message.has("date")) {
      message.put("date", 1_700_000_000);
    }
    message.set("chat", Json.of(Map.of("id", chat, "type", type)));
    message.set(
        "from", Json.of(Map.of("id", person, "is_bot", false, "first_name", "Person " + person)));
    ObjectNode update = Json.object().put("update_id", ++lastUpdate);
    update.set("message", message);
    updates.put(lastUpdate, update);
    notifyAll();
    return chat + ":" + lastMessage;
  }

  /** What stands in a chat now, with its buttons: an edit that names none takes them away. */
  public synchronized List<Card> cards(long chat) {
    List<Card> cards = new ArrayList<>();
    messages.forEach(
        (id, message) -> {
          if (message.path("chat_id").asLong() == chat) {
            Map<String, String> tokens = new TreeMap<>();
            for (JsonNode row : message.path("reply_markup").path("inline_keyboard")) {
              row.forEach(
                  button ->
                      tokens.put(
                          button.path("text").asText(), button.path("callback_data").asText()));
            }
            cards.add(new Card(Long.toString(id), message.path("text").asText(), tokens));
          }
        });
    return cards;
  }

  /**
   * A person presses a button in the private chat.
   *
   * @return the id of the query, which an answer names
   */
  public synchronized String press(long person, Card card, String label) {
    ObjectNode update = Json.object().put("update_id", ++lastUpdate);
    String id = "4" + lastUpdate;
    update.set(
        "callback_query",
        Json.of(
            Map.of(
                "id",
                id,
                "from",
                Map.of("id", person, "is_bot", false, "first_name", "Person " + person),
                "message",
                Map.of(
                    "message_id",
                    Long.parseLong(card.id()),
                    "date",
                    1_700_000_000,
                    "chat",
                    Map.of("id", person, "type", "private")),
                "chat_instance",
                "1",
                "data",
                card.token(label))));
    updates.put(lastUpdate, update);
    notifyAll();
    return id;
  }

  /** How many calls there were. */
  public synchronized int calls() {
    return calls.size();
  }

  /** All calls of a method, in their order. */
  public synchronized List<Call> calls(String method) {
    return calls.stream().filter(call -> call.method().equals(method)).toList();
  }

  /** Updates that nobody has confirmed. */
  public synchronized int unconfirmed() {
    return updates.size();
  }

  /** Messages that were sent to a chat, lost answers included. */
  public List<Call> shown(long chat, String words) {
    return calls("sendMessage").stream()
        .filter(call -> call.chat().equals(Long.toString(chat)) && call.text().contains(words))
        .toList();
  }

  public Call awaitShown(long chat, String words, Duration limit) {
    return Await.value(words + " in " + chat, limit, () -> shown(chat, words).stream().findFirst());
  }

  private void receive(WireRequest request, WireExchange exchange) throws Exception {
    String prefix = "/bot" + TOKEN + "/";
    if (!request.path().startsWith(prefix)) {
      exchange.respond(404, JSON, error(404, "Not Found", "{}"));
      return;
    }
    String body = request.text();
    Call call =
        new Call(
            request.path().substring(prefix.length()),
            body.startsWith("{") ? Json.read(body) : Json.object());
    Optional<Harm> harmed = begin(call);
    if (harmed.isEmpty()) {
      answer(exchange, done(call));
      return;
    }
    switch (harmed.get()) {
      case LOSE_ANSWER -> {
        String _ = done(call);
        exchange.reset();
      }
      case LIMIT ->
          exchange.respond(
              429, JSON, error(429, "Too Many Requests: retry after 1", "{\"retry_after\":1}"));
      case REVOKE -> exchange.respond(401, JSON, error(401, "Unauthorized", "{}"));
      case CONFLICT ->
          exchange.respond(
              409,
              JSON,
              error(409, "Conflict: terminated by other getUpdates request; make sure", "{}"));
      case HANG -> exchange.hang(Duration.ofMinutes(2));
    }
  }

  private synchronized Optional<Harm> begin(Call call) {
    boolean isHarmed = harm.test(call);
    if (!isHarmed || kind == Harm.LOSE_ANSWER) {
      calls.add(call);
    }
    return isHarmed ? Optional.of(kind) : Optional.empty();
  }

  private static void answer(WireExchange exchange, String answer) throws IOException {
    int status = Json.read(answer).path("error_code").asInt(200);
    exchange.respond(status, JSON, answer);
  }

  private static String error(int code, String description, String parameters) {
    return "{\"ok\":false,\"error_code\":%d,\"description\":\"%s\",\"parameters\":%s}"
        .formatted(code, description, parameters);
  }

  private String done(Call call) throws InterruptedException {
    return switch (call.method()) {
      case "getMe" -> ok(Map.of("id", 900, "is_bot", true, "username", "HoldfastBot"));
      case "getUpdates" -> poll(call.parameters());
      case "setWebhook" -> setWebhook(call.parameters());
      case "deleteWebhook" -> {
        endWebhook();
        yield ok(true);
      }
      case "getWebhookInfo" -> ok(Map.of("url", webhook(), "pending_update_count", unconfirmed()));
      case "sendMessage" -> ok(Map.of("message_id", sent(call.parameters())));
      case "sendDocument", "sendPhoto" -> ok(Map.of("message_id", nextMessage()));
      case "editMessageText" -> edited(call.parameters());
      default -> ok(true);
    };
  }

  private static String ok(Object result) {
    return Json.write(Map.of("ok", true, "result", result));
  }

  private synchronized long nextMessage() {
    return ++lastMessage;
  }

  private synchronized long sent(JsonNode parameters) {
    messages.put(++lastMessage, parameters);
    return lastMessage;
  }

  private synchronized String edited(JsonNode parameters) {
    JsonNode old = messages.put(parameters.path("message_id").asLong(), parameters);
    return old == null
        ? error(400, "Bad Request: message to edit not found", "{}")
        : ok(Map.of("message_id", parameters.path("message_id").asLong()));
  }

  private synchronized String webhook() {
    return webhookUrl;
  }

  private synchronized String poll(JsonNode parameters) throws InterruptedException {
    if (!webhookUrl.isEmpty()) {
      return error(
          409, "Conflict: can't use getUpdates method while webhook is active; use delete", "{}");
    }
    long mine = ++polls;
    notifyAll(); // ends the poll before it
    updates.headMap(parameters.path("offset").asLong(0)).clear();
    long end = System.nanoTime() + parameters.path("timeout").asLong(0) * 1_000_000_000;
    while (updates.isEmpty() && polls == mine && end - System.nanoTime() > 0) {
      wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
    }
    if (polls != mine) {
      return error(409, "Conflict: terminated by other getUpdates request", "{}");
    }
    return ok(updates.values().stream().limit(parameters.path("limit").asLong(100)).toList());
  }

  private synchronized String setWebhook(JsonNode parameters) {
    webhookUrl = parameters.path("url").asText();
    webhookSecret = parameters.path("secret_token").asText();
    if (deliverer == null) {
      deliverer = Thread.ofVirtual().start(this::deliver);
    }
    return ok(true);
  }

  private synchronized void endWebhook() {
    webhookUrl = "";
    if (deliverer != null) {
      deliverer.interrupt();
      deliverer = null;
    }
  }

  /** In order: an update waits until the one before it was taken. */
  private void deliver() {
    try {
      while (true) {
        JsonNode update = next();
        if (isTaken(update)) {
          confirm(update);
        } else {
          Thread.sleep(WEBHOOK_AGAIN);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized JsonNode next() throws InterruptedException {
    while (updates.isEmpty()) {
      wait();
    }
    return updates.firstEntry().getValue();
  }

  private boolean isTaken(JsonNode update) {
    Call delivery = new Call("delivery", update);
    Optional<Harm> harmed = begin(delivery);
    try {
      Answer answer =
          http.post(
              webhook(),
              Map.of(
                  "content-type",
                  "application/json",
                  "x-telegram-bot-api-secret-token",
                  webhookSecret()),
              Json.write(update));
      return answer.status() / 100 == 2 && harmed.isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /** What a delivery has to bring; empty until there is a webhook. */
  public synchronized String webhookSecret() {
    return webhookSecret;
  }

  private synchronized void confirm(JsonNode update) {
    updates.remove(update.path("update_id").asLong());
  }

  @Override
  public void close() {
    endWebhook();
    server.close();
  }
}
