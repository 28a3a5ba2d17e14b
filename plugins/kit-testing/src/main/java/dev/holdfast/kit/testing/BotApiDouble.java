package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The Bot API of Telegram, as its documentation has it, for one bot: keeps updates until they are
 * confirmed, by an offset or by the 2xx of a webhook, lets one poll at a time, and does harm when
 * it is told to.
 */
public class BotApiDouble extends HttpDouble {
  /** A fragment of it found anywhere is a leak. */
  public static final String TOKEN = "900:AAcanary-5b1d7e";

  private static final String BASE = "/bot" + TOKEN + "/";
  private static final Duration WEBHOOK_AGAIN = Duration.ofMillis(200);

  private final PlainHttp http = new PlainHttp();
  private final TreeMap<Long, Map<String, Object>> updates = new TreeMap<>();
  private final List<Call> calls = new ArrayList<>();

  /** What the bot has sent, as it stands there now, by message. */
  private final Map<Long, Map<String, Object>> messages = new TreeMap<>();

  private Predicate<Call> harm = _ -> false;
  private Harm kind = Harm.LOSE_ANSWER;
  private long lastUpdate = 1000;
  private long lastMessage;
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
  public record Call(String method, Map<String, Object> parameters) {
    public final String text() {
      return JsonText.text(parameters, "text");
    }

    public final String chat() {
      return JsonText.id(parameters, "chat_id");
    }
  }

  public BotApiDouble() {
    this(5000);
  }

  /** {@code lastMessage}: the ids of messages come after it. */
  protected BotApiDouble(long lastMessage) {
    this.lastMessage = lastMessage;
  }

  /** From now on these calls are harmed; none when it is never true. */
  public final synchronized void harm(Harm how, Predicate<Call> which) {
    kind = how;
    harm = which;
  }

  /** Forgets what it was asked, and does no harm any more. */
  @Override
  public final synchronized void reset() {
    super.reset();
    calls.clear();
    heal();
  }

  public final synchronized void heal() {
    harm = _ -> false;
  }

  /**
   * A person says something in a private chat, whose id is the person's.
   *
   * @return the key by which the server knows the message
   */
  public final String say(long person, String text) {
    return say(person, person, "private", text, Map.of());
  }

  /** The same, said at that time, in whole seconds. */
  public final String sayAt(Instant when, long person, String text) {
    return say(person, person, "private", text, Map.of("date", when.getEpochSecond()));
  }

  /** Says something in a group, with more keys of the message. */
  public final String sayInGroup(long person, long group, String text, Map<String, ?> more) {
    return say(person, group, "supergroup", text, more);
  }

  private synchronized String say(
      long person, long chat, String type, String text, Map<String, ?> more) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("message_id", ++lastMessage);
    message.put("text", text);
    message.put("date", 1_700_000_000L);
    message.put("chat", Map.of("id", chat, "type", type));
    message.put("from", person(person));
    message.putAll(more);
    Map<String, Object> update = Map.of("update_id", ++lastUpdate, "message", message);
    updates.put(lastUpdate, update);
    notifyAll();
    return chat + ":" + lastMessage;
  }

  private static Map<String, Object> person(long id) {
    return Map.of("id", id, "is_bot", false, "first_name", "Person " + id);
  }

  /** What stands in a chat now, with its buttons: an edit that names none takes them away. */
  public final synchronized List<Card> cards(long chat) {
    List<Card> cards = new ArrayList<>();
    messages.forEach(
        (id, message) -> {
          if (JsonText.id(message, "chat_id").equals(Long.toString(chat))) {
            cards.add(new Card(Long.toString(id), JsonText.text(message, "text"), tokens(message)));
          }
        });
    return cards;
  }

  private static Map<String, String> tokens(Map<String, Object> message) {
    Map<String, String> tokens = new TreeMap<>();
    Map<String, Object> markup = JsonText.map(message, "reply_markup");
    for (Object row : (List<?>) markup.getOrDefault("inline_keyboard", List.of())) {
      for (Map<String, Object> button : JsonText.maps(Map.of("row", row), "row")) {
        tokens.put(JsonText.text(button, "text"), JsonText.text(button, "callback_data"));
      }
    }
    return tokens;
  }

  /**
   * A person presses a button in the private chat.
   *
   * @return the id of the query, which an answer names
   */
  public final synchronized String press(long person, Card card, String label) {
    String id = "4" + ++lastUpdate;
    Map<String, Object> under =
        Map.of(
            "message_id",
            Long.parseLong(card.id()),
            "date",
            1_700_000_000,
            "chat",
            Map.of("id", person, "type", "private"));
    Map<String, Object> query =
        Map.of(
            "id",
            id,
            "from",
            person(person),
            "message",
            under,
            "chat_instance",
            "1",
            "data",
            card.token(label));
    Map<String, Object> update = Map.of("update_id", lastUpdate, "callback_query", query);
    updates.put(lastUpdate, update);
    notifyAll();
    return id;
  }

  /** All calls of a method, in their order. */
  public final synchronized List<Call> calls(String method) {
    return calls.stream().filter(call -> call.method().equals(method)).toList();
  }

  /** Updates that nobody has confirmed. */
  public final synchronized int unconfirmed() {
    return updates.size();
  }

  /** Messages that were sent to a chat, lost answers included. */
  public final List<Call> shown(long chat, String words) {
    return calls("sendMessage").stream()
        .filter(call -> call.chat().equals(Long.toString(chat)) && call.text().contains(words))
        .toList();
  }

  /** Blocks until one was sent. */
  public final synchronized Call awaitShown(long chat, String words, Duration limit)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (shown(chat, words).isEmpty()) {
      long millis = (end - System.nanoTime()) / 1_000_000;
      if (millis <= 0) {
        throw new AssertionError("it did not show within " + limit + ": " + words + " in " + chat);
      }
      wait(millis);
    }
    return shown(chat, words).getFirst();
  }

  /** The method; the whole path when it is none of this bot. */
  @Override
  protected final String call(Asked request) {
    return request.path().startsWith(BASE)
        ? request.path().substring(BASE.length())
        : request.path();
  }

  @Override
  protected final Said usual(Asked request) throws InterruptedException {
    if (!request.path().startsWith(BASE)) {
      return refused(404, "Not Found");
    }
    String body = request.body();
    Call call = new Call(call(request), body.startsWith("{") ? JsonText.object(body) : Map.of());
    Optional<Harm> harmed = begin(call);
    if (harmed.isEmpty()) {
      return done(call);
    }
    return switch (harmed.get()) {
      case LOSE_ANSWER -> {
        Said _ = done(call);
        yield Said.nothing();
      }
      case LIMIT -> refused(429, "Too Many Requests: retry after 1", "{\"retry_after\":1}");
      case REVOKE -> refused(401, "Unauthorized");
      case CONFLICT -> refused(409, "Conflict: terminated by other getUpdates request; make sure");
      case HANG -> Said.never();
    };
  }

  private synchronized Optional<Harm> begin(Call call) {
    boolean isHarmed = harm.test(call);
    if (!isHarmed || kind == Harm.LOSE_ANSWER) {
      calls.add(call);
      notifyAll();
    }
    return isHarmed ? Optional.of(kind) : Optional.empty();
  }

  public static Said ok(String result) {
    return Said.json(200, "{\"ok\":true,\"result\":" + result + "}");
  }

  private static Said result(Object result) {
    return ok(JsonText.write(result));
  }

  public static Said refused(int code, String description) {
    return refused(code, description, "{}");
  }

  public static Said refused(int code, String description, String parameters) {
    return Said.json(
        code,
        "{\"ok\":false,\"error_code\":%d,\"description\":\"%s\",\"parameters\":%s}"
            .formatted(code, description, parameters));
  }

  private Said done(Call call) throws InterruptedException {
    return switch (call.method()) {
      case "getMe" -> result(Map.of("id", 900, "is_bot", true, "username", "HoldfastBot"));
      case "getUpdates" -> poll(call.parameters());
      case "setWebhook" -> setWebhook(call.parameters());
      case "deleteWebhook" -> {
        endWebhook();
        yield result(true);
      }
      case "getWebhookInfo" ->
          result(Map.of("url", webhook(), "pending_update_count", unconfirmed()));
      case "sendMessage" -> result(Map.of("message_id", sent(call.parameters())));
      case "sendDocument", "sendPhoto" -> result(Map.of("message_id", nextMessage()));
      case "editMessageText" -> edited(call.parameters());
      default -> result(true);
    };
  }

  private synchronized long nextMessage() {
    return ++lastMessage;
  }

  private synchronized long sent(Map<String, Object> parameters) {
    messages.put(++lastMessage, parameters);
    return lastMessage;
  }

  private synchronized Said edited(Map<String, Object> parameters) {
    long id = JsonText.whole(parameters, "message_id", 0);
    return messages.put(id, parameters) == null
        ? refused(400, "Bad Request: message to edit not found")
        : result(Map.of("message_id", id));
  }

  private synchronized String webhook() {
    return webhookUrl;
  }

  private synchronized Said poll(Map<String, Object> parameters) throws InterruptedException {
    if (!webhookUrl.isEmpty()) {
      return refused(
          409, "Conflict: can't use getUpdates method while webhook is active; use delete");
    }
    long mine = ++polls;
    notifyAll(); // ends the poll before it
    updates.headMap(JsonText.whole(parameters, "offset", 0)).clear();
    long end = System.nanoTime() + JsonText.whole(parameters, "timeout", 0) * 1_000_000_000;
    while (updates.isEmpty() && polls == mine && end - System.nanoTime() > 0) {
      wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
    }
    if (polls != mine) {
      return refused(409, "Conflict: terminated by other getUpdates request");
    }
    return result(
        updates.values().stream().limit(JsonText.whole(parameters, "limit", 100)).toList());
  }

  private synchronized Said setWebhook(Map<String, Object> parameters) {
    webhookUrl = JsonText.text(parameters, "url");
    webhookSecret = JsonText.text(parameters, "secret_token");
    if (deliverer == null) {
      deliverer = Thread.ofVirtual().start(this::deliver);
    }
    return result(true);
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
        Map<String, Object> update = earliest();
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

  private synchronized Map<String, Object> earliest() throws InterruptedException {
    while (updates.isEmpty()) {
      wait();
    }
    return updates.firstEntry().getValue();
  }

  private boolean isTaken(Map<String, Object> update) throws InterruptedException {
    Call delivery = new Call("delivery", update);
    Optional<Harm> harmed = begin(delivery);
    try {
      PluginHttp.Answer answer =
          http.send(
              PluginHttp.Request.post(
                  webhook(),
                  Map.of(
                      "content-type",
                      "application/json",
                      "x-telegram-bot-api-secret-token",
                      webhookSecret()),
                  JsonText.write(update).getBytes(StandardCharsets.UTF_8)));
      return answer.status() / 100 == 2 && harmed.isEmpty();
    } catch (CallFailedException e) {
      return false;
    }
  }

  /** What a delivery has to bring; empty until there is a webhook. */
  public final synchronized String webhookSecret() {
    return webhookSecret;
  }

  private synchronized void confirm(Map<String, Object> update) {
    updates.remove(JsonText.whole(update, "update_id", 0));
  }

  @Override
  public void close() {
    endWebhook();
    super.close();
  }
}
