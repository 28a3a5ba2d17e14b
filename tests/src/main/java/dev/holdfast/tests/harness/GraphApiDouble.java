package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
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
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The Cloud API of WhatsApp, as Meta's documentation has it, for one number: takes messages and
 * files within their limits, delivers what people say, signed and in escaped form, until it gets a
 * 2xx, tells what becomes of each message, and does harm when it is told to. Thread-safe.
 */
public final class GraphApiDouble implements AutoCloseable {
  /** A fragment of it found anywhere is a leak. */
  public static final String TOKEN = "EAAGcanary5b1d7e";

  public static final String APP_SECRET = "app-secret-canary-91c2";
  public static final String NUMBER = "106540352242922";
  private static final String VERSION = "/v24.0/";
  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final Duration AGAIN = Duration.ofMillis(300);
  private static final Duration TAKES = Duration.ofMillis(200);

  private final WireServer server = new WireServer(this::receive);
  private final Http http = new Http();
  private final List<JsonNode> sent = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final Set<String> undelivered = new HashSet<>();
  private final List<Thread> deliverers = new ArrayList<>();

  /** Open once a person's last message was taken: those of one person come in their order. */
  private final Map<String, CountDownLatch> lastOf = new HashMap<>();

  private Predicate<JsonNode> harmed = _ -> false;
  private Harm harm = Harm.LOSE_ANSWER;
  private String webhookUrl = "";
  private int downloads;
  private int harms;
  private int last;

  /** What may be done to a message in place of an answer. */
  public enum Harm {
    /** It is sent, and the connection breaks. */
    LOSE_ANSWER,
    /** It is not sent, nobody is told so. */
    LOSE_MESSAGE,
    /** It is sent, and the answer is a failure of the server. */
    FAIL,
    /** Too much throughput. */
    LIMIT,
    /** The token is no longer valid. */
    REVOKE
  }

  /** Forgets what was sent, and does no harm any more. */
  public synchronized void reset() {
    sent.clear();
    told.clear();
    harmed = _ -> false;
    harms = 0;
    downloads = 0;
  }

  public String url() {
    return server.url("");
  }

  /** Where messages are delivered to. */
  public synchronized void deliverTo(String url) {
    webhookUrl = url;
  }

  private synchronized String webhookUrl() {
    return webhookUrl;
  }

  /** From now on these messages are harmed; none when it is never true. */
  public synchronized void harm(Harm how, Predicate<JsonNode> which) {
    harm = how;
    harmed = which;
  }

  /** How many messages were harmed. */
  public synchronized int harms() {
    return harms;
  }

  public synchronized void heal() {
    harmed = _ -> false;
  }

  /** Messages that were sent to people, lost answers included. */
  public synchronized List<JsonNode> sent() {
    return List.copyOf(sent);
  }

  /** Texts that a person was sent. */
  public List<String> texts(String person) {
    return sent().stream()
        .filter(message -> isTo(message, person))
        .map(message -> message.path("text").path("body").asText())
        .toList();
  }

  private static boolean isTo(JsonNode message, String person) {
    return message.path("to").asText().equals(person)
        || message.path("recipient").asText().equals(person);
  }

  /** Ids of messages that were marked as read while typing was shown. */
  public synchronized List<String> told() {
    return List.copyOf(told);
  }

  /** How often the content of a file was fetched. */
  public synchronized int downloads() {
    return downloads;
  }

  /** Whether all that was said got its 2xx. */
  public synchronized boolean isAllDelivered() {
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
  public String say(String person, String text) {
    String id = nextId();
    deliverUntilTaken(
        person, id, Duration.ZERO, delivery("messages", List.of(text(person, id, text))));
    return id;
  }

  /** A person presses a button. */
  public String press(String person, String token) {
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
    return escaped(
        Json.write(
            Map.of(
                "object",
                "whatsapp_business_account",
                "entry",
                List.of(
                    Map.of(
                        "id",
                        "102290129340398",
                        "changes",
                        List.of(Map.of("field", "messages", "value", value)))))));
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
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(APP_SECRET.getBytes(StandardCharsets.UTF_8), mac.getAlgorithm()));
      return "sha256="
          + HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC", e);
    }
  }

  /** Delivers once. */
  public Answer deliver(String body) throws IOException {
    return deliver(body, signature(body));
  }

  /** Delivers once, with a signature of the test's own. */
  public Answer deliver(String body, String signature) throws IOException {
    return http.post(
        webhookUrl(),
        Map.of("content-type", "application/json", "x-hub-signature-256", signature),
        body);
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

  private boolean isTaken(String body) {
    try {
      return deliver(body).status() / 100 == 2;
    } catch (IOException | IllegalStateException e) {
      return false; // it is down, or this double is closed
    }
  }

  private synchronized void taken(String id) {
    undelivered.remove(id);
  }

  private void receive(WireRequest request, WireExchange exchange) throws Exception {
    if (!request.header("authorization").equals("Bearer " + TOKEN)) {
      exchange.respond(401, JSON, error(190, "Invalid OAuth access token"));
      return;
    }
    String path = request.path().replaceFirst("\\?.*", "");
    if (path.equals("/files/1")) {
      synchronized (this) {
        downloads++;
      }
      exchange.respond(200, Map.of("content-type", "text/plain"), "content of the file");
    } else if (path.equals(VERSION + NUMBER + "/messages")) {
      message(Json.read(request.text()), exchange);
    } else if (path.equals(VERSION + NUMBER + "/media")) {
      exchange.respond(200, JSON, "{\"id\":\"4490709327384033\"}");
    } else if (path.equals(VERSION + NUMBER)) {
      exchange.respond(
          200,
          JSON,
          "{\"display_phone_number\":\"+1 555-078-3881\",\"verified_name\":\"Acme\","
              + "\"quality_rating\":\"GREEN\",\"id\":\""
              + NUMBER
              + "\"}");
    } else if (path.startsWith(VERSION + "44907")) {
      exchange.respond(
          200,
          JSON,
          Json.write(
              Map.of(
                  "messaging_product", "whatsapp",
                  "url", server.url("/files/1"),
                  "mime_type", "text/plain",
                  "file_size", "19",
                  "id", "4490709327384033")));
    } else {
      exchange.respond(400, JSON, error(100, "Unsupported request"));
    }
  }

  private void message(JsonNode message, WireExchange exchange) throws Exception {
    Optional<String> odd = oddity(message);
    if (odd.isPresent()) {
      exchange.respond(400, JSON, error(100, odd.get()));
      return;
    }
    if (message.path("status").asText().equals("read")) {
      synchronized (this) {
        told.add(message.path("message_id").asText());
      }
      exchange.respond(200, JSON, "{\"success\":true}");
      return;
    }
    Optional<Harm> how = harmOf(message);
    if (how.isEmpty()) {
      exchange.respond(200, JSON, take(message));
      return;
    }
    switch (how.get()) {
      case LOSE_ANSWER -> {
        String _ = take(message);
        exchange.reset();
      }
      case LOSE_MESSAGE -> exchange.reset();
      case FAIL -> {
        String _ = take(message);
        exchange.respond(500, JSON, error(131000, "Something went wrong"));
      }
      case LIMIT -> exchange.respond(429, JSON, error(130429, "Rate limit hit"));
      case REVOKE -> exchange.respond(401, JSON, error(190, "Error validating access token"));
    }
  }

  private synchronized Optional<Harm> harmOf(JsonNode message) {
    if (!harmed.test(message)) {
      return Optional.empty();
    }
    harms++;
    return Optional.of(harm);
  }

  /** Of what Meta would refuse, why. */
  private static Optional<String> oddity(JsonNode message) {
    if (!message.path("messaging_product").asText().equals("whatsapp")) {
      return Optional.of("messaging_product");
    }
    if (message.path("status").asText().equals("read")) {
      return message.path("message_id").asText().startsWith("wamid.")
          ? Optional.empty()
          : Optional.of("message_id");
    }
    if (message.has("to") == message.has("recipient")) {
      return Optional.of("to or recipient");
    }
    String type = message.path("type").asText("text");
    int length = message.path("text").path("body").asText().length();
    if (!message.has(type) || (type.equals("text") && (length < 1 || length > 4096))) {
      return Optional.of(type);
    }
    return type.equals("interactive") ? oddButtons(message.path(type)) : Optional.empty();
  }

  private static Optional<String> oddButtons(JsonNode interactive) {
    int length = interactive.path("body").path("text").asText().length();
    JsonNode buttons = interactive.path("action").path("buttons");
    Set<String> titles = new HashSet<>();
    for (JsonNode button : buttons) {
      String title = button.path("reply").path("title").asText();
      boolean isTaken =
          button.path("type").asText().equals("reply")
              && !title.isEmpty()
              && title.length() <= 20
              && button.path("reply").path("id").asText().length() <= 256
              && titles.add(title);
      if (!isTaken) {
        return Optional.of("button");
      }
    }
    boolean isTaken = length >= 1 && length <= 1024 && buttons.size() >= 1 && buttons.size() <= 3;
    return isTaken ? Optional.empty() : Optional.of("interactive");
  }

  private String take(JsonNode message) {
    String id = nextId();
    synchronized (this) {
      sent.add(message);
    }
    tell(id, message);
    return Json.write(
        Map.of("messaging_product", "whatsapp", "messages", List.of(Map.of("id", id))));
  }

  /** A moment later, as Meta does, and until it is taken. */
  private synchronized void tell(String id, JsonNode message) {
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("id", id);
    status.put("status", "sent");
    status.put("timestamp", Long.toString(Instant.now().getEpochSecond()));
    status.put("recipient_user_id", message.path("recipient").asText());
    if (message.has("biz_opaque_callback_data")) {
      status.put("biz_opaque_callback_data", message.path("biz_opaque_callback_data").asText());
    }
    deliverUntilTaken("", id, TAKES, delivery("statuses", List.of(status)));
  }

  private static String error(int code, String message) {
    return Json.write(
        Map.of(
            "error",
            Map.of(
                "message",
                "(#" + code + ") " + message,
                "type",
                "OAuthException",
                "code",
                code,
                "fbtrace_id",
                "Az8or2yhqkZfEZ-_4Qn_Bam")));
  }

  @Override
  public synchronized void close() {
    deliverers.forEach(Thread::interrupt);
    server.close();
  }
}
