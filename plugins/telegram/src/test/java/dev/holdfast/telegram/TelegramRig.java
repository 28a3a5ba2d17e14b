package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.PlainHttp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A Bot API, and the plugin, started, on the other side. */
final class TelegramRig extends BotApiDouble {
  static final String SECRET = "webhook-secret_1";

  private final FakeContext context = new FakeContext(new PlainHttp());
  private final FakeSink sink = new FakeSink();
  private final Map<String, Object> account = new LinkedHashMap<>();
  private ChannelAdapter channel;

  /** A call of the Bot API. */
  record Called(String method, Map<String, Object> parameters, String body) {
    String text() {
      return JsonText.text(parameters, "text");
    }
  }

  private TelegramRig(Map<String, ?> keys, Path folder) {
    super(500);
    account.put("token", TOKEN);
    account.putAll(keys);
    context.stateFolder(folder);
    start();
  }

  /** An account that polls; what earlier rigs kept in the folder is there. */
  static TelegramRig polling(Path folder) {
    return new TelegramRig(Map.of("allow", Map.of("users", List.of("7"))), folder);
  }

  static TelegramRig withWebhook(Path folder) {
    return new TelegramRig(
        Map.of("mode", "webhook", "webhook_secret", SECRET, "public_url", "https://bot.example/"),
        folder);
  }

  /** Starts the plugin, again if it runs. */
  void start() {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("base_url", url());
    section.put("poll_secs", 1);
    section.put("accounts", Map.of("main", account));
    FakeConfig config = new FakeConfig(section);
    context.channelConfig(config);
    try {
      new TelegramPlugin().start(context);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems().toString());
    }
    channel = context.channels().getLast();
  }

  void always(String method, String result) {
    always(method, ok(result));
  }

  /** Polls until these answers are used up. */
  CallFailedException listen(Said... polls) {
    next("getUpdates", polls);
    next("getUpdates", refused(401, "Unauthorized"));
    try {
      channel.listen("main", sink);
    } catch (CallFailedException e) {
      return e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("it returned");
  }

  /** As {@link #listen}; the end of the answers is its only failure. */
  FakeSink receive(Said... polls) {
    CallFailedException end = listen(polls);
    if (end.failure().code() != FailureCode.AUTH) {
      throw new AssertionError(end);
    }
    return sink;
  }

  static Said updates(String... updates) {
    return ok("[" + String.join(",", updates) + "]");
  }

  /** A message in the private chat of Ann, whose id is 7. */
  static String message(long update, String text) {
    return update(
        update, "\"chat\":{\"id\":7,\"type\":\"private\"},\"text\":" + JsonText.write(text));
  }

  /** A message of Ann in the group -100. */
  static String inGroup(long update, String text, String more) {
    return update(
        update,
        "\"chat\":{\"id\":-100,\"type\":\"supergroup\"},\"text\":" + JsonText.write(text) + more);
  }

  /** A message of Ann; its own id is 1,000 more than that of the update. */
  static String update(long update, String message) {
    return """
    {"update_id":%d,"message":{"message_id":%d,"date":1700000000,
     "from":{"id":7,"is_bot":false,"first_name":"Ann","last_name":"Lee"},%s}}\
    """
        .formatted(update, update + 1000, message);
  }

  WebhookVerdict webhook(Map<String, List<String>> headers, String body) throws Exception {
    return channel.receive(
        new WebhookRequest(
            "POST",
            "main",
            headers,
            Map.of(),
            body.getBytes(StandardCharsets.UTF_8),
            Instant.EPOCH));
  }

  WebhookVerdict webhook(String body) throws Exception {
    return webhook(Map.of("x-telegram-bot-api-secret-token", List.of(SECRET)), body);
  }

  static OutboundReply reply(String thread, String text) {
    return new OutboundReply(
        "r1",
        "e1",
        "main",
        thread,
        ChatAddress.ofThread(thread).chat() + ":1001",
        text,
        1,
        1,
        false);
  }

  /** Calls of some methods, in their order. */
  List<Called> called(String... methods) {
    return asked().stream()
        .map(asked -> new Called(call(asked), parameters(asked), asked.body()))
        .filter(call -> List.of(methods).contains(call.method()))
        .toList();
  }

  private static Map<String, Object> parameters(Asked asked) {
    return asked.body().startsWith("{") ? JsonText.object(asked.body()) : Map.of();
  }

  /** Paths of all requests. */
  List<String> paths() {
    return asked().stream().map(Asked::path).toList();
  }

  FakeContext context() {
    return context;
  }

  FakeSink sink() {
    return sink;
  }

  ChannelAdapter channel() {
    return channel;
  }
}
