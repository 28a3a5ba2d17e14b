package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * The Cloud API of WhatsApp, as Meta's documentation has it, for one number: takes messages and
 * files within their limits, delivers what people say, signed and in escaped form, until it gets a
 * 2xx, tells what becomes of each message, and does harm when it is told to.
 */
public class GraphApiDouble extends HttpDouble {
  /** A fragment of it found anywhere is a leak. */
  public static final String TOKEN = "EAAGcanary5b1d7e";

  public static final String APP_SECRET = "app-secret-canary-91c2";
  public static final String NUMBER = "106540352242922";

  /** The id of the only file. */
  public static final String FILE = "4490709327384033";

  private static final String VERSION = "/v24.0/";
  private static final Duration AGAIN = Duration.ofMillis(300);
  private static final Duration TAKES = Duration.ofMillis(200);

  private final PlainHttp http = new PlainHttp();
  private final List<Map<String, Object>> sent = new ArrayList<>();
  private final Set<String> undelivered = new HashSet<>();
  private final List<Thread> deliverers = new ArrayList<>();

  /** Open once a person's last message was taken: those of one person come in their order. */
  private final Map<String, CountDownLatch> lastOf = new HashMap<>();

  private Predicate<Map<String, Object>> harmed = _ -> false;
  private Said harm = Said.nothing();
  private boolean isSentThough;
  private String webhookUrl = "";
  private int harms;
  private int last;

  /** Forgets what was sent, and does no harm any more. */
  @Override
  public final synchronized void reset() {
    super.reset();
    sent.clear();
    harmed = _ -> false;
    harms = 0;
  }

  /** Where messages are delivered to. */
  public final synchronized void deliverTo(String url) {
    webhookUrl = url;
  }

  private synchronized String webhookUrl() {
    return webhookUrl;
  }

  /** From now on these messages are answered with this, whether they are sent or not. */
  public final synchronized void harm(
      Said answer, boolean isSent, Predicate<Map<String, Object>> which) {
    harm = answer;
    isSentThough = isSent;
    harmed = which;
  }

  /** How many messages were harmed. */
  public final synchronized int harms() {
    return harms;
  }

  /** Messages that were sent to people, lost answers included. */
  public final synchronized List<Map<String, Object>> sent() {
    return List.copyOf(sent);
  }

  /** Texts that a person was sent. */
  public final List<String> texts(String person) {
    return sent().stream()
        .filter(message -> isTo(message, person))
        .map(message -> JsonText.text(JsonText.map(message, "text"), "body"))
        .toList();
  }

  private static boolean isTo(Map<String, Object> message, String person) {
    return JsonText.text(message, "to").equals(person)
        || JsonText.text(message, "recipient").equals(person);
  }

  /** Whether all that was said got its 2xx. */
  public final synchronized boolean isAllDelivered() {
    return undelivered.isEmpty();
  }

  private synchronized String nextId() {
    return "wamid.HBgL" + ++last;
  }

  /**
   * A person says something, which is delivered until it is taken.
   *
   * @return the id of the message
   */
  public final String say(String person, String text) {
    String id = nextId();
    deliverUntilTaken(
        person, id, Duration.ZERO, delivery("messages", List.of(text(person, id, text))));
    return id;
  }

  /** A person presses a button. */
  public final String press(String person, String token) {
    String id = nextId();
    deliverUntilTaken(
        person, id, Duration.ZERO, delivery("messages", List.of(press(person, id, token))));
    return id;
  }

  /** The item of a press. */
  public static Map<String, Object> press(String person, String id, String token) {
    Map<String, Object> message = message(person, id, "interactive");
    message.put(
        "interactive",
        Map.of("type", "button_reply", "button_reply", Map.of("id", token, "title", "x")));
    return message;
  }

  /** The item of a text. */
  public static Map<String, Object> text(String person, String id, String text) {
    Map<String, Object> message = message(person, id, "text");
    message.put("text", Map.of("body", text));
    return message;
  }

  /** {@code person}: a user id, or a phone number where Meta names nothing else. */
  private static Map<String, Object> message(String person, String id, String type) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put(person.indexOf('.') < 0 ? "from" : "from_user_id", person);
    message.put("id", id);
    message.put("timestamp", Long.toString(Instant.now().getEpochSecond()));
    message.put("type", type);
    return message;
  }

  /** A delivery with several items, as it goes over the wire. */
  public static String delivery(String key, List<?> items) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("messaging_product", "whatsapp");
    value.put("metadata", Map.of("display_phone_number", "15550783881", "phone_number_id", NUMBER));
    value.put(key, items);
    return change("messages", value);
  }

  /** A delivery with one change, as it goes over the wire. */
  public static String change(String field, Map<String, ?> value) {
    Map<String, ?> change = Map.of("field", field, "value", value);
    Map<String, ?> entry = Map.of("id", "102290129340398", "changes", List.of(change));
    return escaped(
        JsonText.write(Map.of("object", "whatsapp_business_account", "entry", List.of(entry))));
  }

  /** Meta writes all but ASCII as escapes, in small letters. */
  private static String escaped(String json) {
    StringBuilder escaped = new StringBuilder(json.length());
    for (int at = 0; at < json.length(); at++) {
      char unit = json.charAt(at);
      escaped.append(unit < 0x7f ? String.valueOf(unit) : "\\u%04x".formatted((int) unit));
    }
    return escaped.toString();
  }

  public static String signature(String body) {
    return signature(APP_SECRET, body);
  }

  public static String signature(String secret, String body) {
    byte[] mac =
        HmacKey.ofText(HmacKey.Algorithm.SHA256, secret)
            .sign(body.getBytes(StandardCharsets.UTF_8));
    return "sha256=" + HexFormat.of().formatHex(mac);
  }

  /** Delivers once. */
  public final PluginHttp.Answer deliver(String body)
      throws CallFailedException, InterruptedException {
    return deliver(body, signature(body));
  }

  /** Delivers once, with a signature of the test's own. */
  public final PluginHttp.Answer deliver(String body, String signature)
      throws CallFailedException, InterruptedException {
    Map<String, String> headers =
        Map.of("content-type", "application/json", "x-hub-signature-256", signature);
    return http.send(
        PluginHttp.Request.post(webhookUrl(), headers, body.getBytes(StandardCharsets.UTF_8)));
  }

  /** {@code person}: whose messages it has to follow; empty when it follows none. */
  private synchronized void deliverUntilTaken(
      String person, String id, Duration after, String body) {
    undelivered.add(id);
    CountDownLatch before = lastOf.getOrDefault(person, new CountDownLatch(0));
    CountDownLatch done = new CountDownLatch(1);
    if (!person.isEmpty()) {
      lastOf.put(person, done);
    }
    deliverers.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    before.await();
                    Thread.sleep(after);
                    while (!isTaken(body)) {
                      Thread.sleep(AGAIN);
                    }
                    taken(id);
                    done.countDown();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt(); // this double is closed
                  }
                }));
  }

  private boolean isTaken(String body) throws InterruptedException {
    try {
      return deliver(body).status() / 100 == 2;
    } catch (CallFailedException e) {
      return false; // it is down
    }
  }

  private synchronized void taken(String id) {
    undelivered.remove(id);
  }

  /** The edge, such as {@code messages}. */
  @Override
  protected final String call(Asked request) {
    return request.path().replaceFirst("\\?.*", "").replaceFirst(".*/", "");
  }

  @Override
  protected final Said usual(Asked request) {
    if (!request.header("authorization").equals("Bearer " + TOKEN)) {
      return error(401, 190);
    }
    return switch (request.path().replaceFirst("\\?.*", "")) {
      case VERSION + NUMBER + "/messages" -> message(JsonText.object(request.body()));
      case VERSION + NUMBER + "/media" -> ok(Map.of("id", FILE));
      case VERSION + NUMBER ->
          ok(
              Map.of(
                  "display_phone_number", "+1 555-078-3881",
                  "verified_name", "Acme",
                  "quality_rating", "GREEN",
                  "id", NUMBER));
      case VERSION + FILE ->
          ok(
              Map.of(
                  "messaging_product", "whatsapp",
                  "url", url() + "/files/content",
                  "mime_type", "text/plain",
                  "file_size", "19",
                  "id", FILE));
      case "/files/content" ->
          new Said(200, Map.of("content-type", "text/plain"), "content of the file");
      default -> error(400, 100, "Unsupported request");
    };
  }

  private static Said ok(Map<String, ?> body) {
    return Said.json(200, JsonText.write(body));
  }

  /** An error as Meta writes it. */
  public static Said error(int status, long code) {
    return error(status, code, "Said\nMeta");
  }

  private static Said error(int status, long code, String details) {
    Map<String, ?> error =
        Map.of(
            "message",
            "(#" + code + ") It is so",
            "type",
            "OAuthException",
            "code",
            code,
            "error_data",
            Map.of("messaging_product", "whatsapp", "details", details),
            "fbtrace_id",
            "A1");
    return Said.json(status, JsonText.write(Map.of("error", error)));
  }

  private synchronized Said message(Map<String, Object> message) {
    Optional<String> odd = oddity(message);
    if (odd.isPresent()) {
      return error(400, 100, odd.get());
    }
    if (JsonText.text(message, "status").equals("read")) {
      return ok(Map.of("success", true));
    }
    if (!harmed.test(message)) {
      return take(message);
    }
    harms++;
    if (isSentThough) {
      Said _ = take(message);
    }
    return harm;
  }

  /** Of what Meta would refuse, why. */
  private static Optional<String> oddity(Map<String, Object> message) {
    if (!JsonText.text(message, "messaging_product").equals("whatsapp")) {
      return Optional.of("messaging_product");
    }
    if (JsonText.text(message, "status").equals("read")) {
      return JsonText.text(message, "message_id").startsWith("wamid.")
          ? Optional.empty()
          : Optional.of("message_id");
    }
    if (message.containsKey("to") == message.containsKey("recipient")) {
      return Optional.of("to or recipient");
    }
    String type = message.containsKey("type") ? JsonText.text(message, "type") : "text";
    int length = JsonText.text(JsonText.map(message, "text"), "body").length();
    if (!message.containsKey(type) || (type.equals("text") && (length < 1 || length > 4096))) {
      return Optional.of(type);
    }
    return type.equals("interactive") ? oddButtons(JsonText.map(message, type)) : Optional.empty();
  }

  private static Optional<String> oddButtons(Map<String, Object> interactive) {
    int length = JsonText.text(JsonText.map(interactive, "body"), "text").length();
    List<Map<String, Object>> buttons =
        JsonText.maps(JsonText.map(interactive, "action"), "buttons");
    Set<String> titles = new HashSet<>();
    for (Map<String, Object> button : buttons) {
      Map<String, Object> reply = JsonText.map(button, "reply");
      String title = JsonText.text(reply, "title");
      boolean isTaken =
          JsonText.text(button, "type").equals("reply")
              && !title.isEmpty()
              && title.length() <= 20
              && JsonText.text(reply, "id").length() <= 256
              && titles.add(title);
      if (!isTaken) {
        return Optional.of("button");
      }
    }
    boolean isTaken = length >= 1 && length <= 1024 && buttons.size() >= 1 && buttons.size() <= 3;
    return isTaken ? Optional.empty() : Optional.of("interactive");
  }

  private Said take(Map<String, Object> message) {
    String id = nextId();
    sent.add(message);
    if (!webhookUrl.isEmpty()) {
      tell(id, message);
    }
    return ok(Map.of("messaging_product", "whatsapp", "messages", List.of(Map.of("id", id))));
  }

  /** A moment later, as Meta does, and until it is taken. */
  private void tell(String id, Map<String, Object> message) {
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("id", id);
    status.put("status", "sent");
    status.put("timestamp", Long.toString(Instant.now().getEpochSecond()));
    status.put("recipient_user_id", JsonText.text(message, "recipient"));
    String data = "biz_opaque_callback_data";
    if (message.containsKey(data)) {
      status.put(data, JsonText.text(message, data));
    }
    deliverUntilTaken("", id, TAKES, delivery("statuses", List.of(status)));
  }

  @Override
  public synchronized void close() {
    deliverers.forEach(Thread::interrupt);
    super.close();
  }
}
