package dev.holdfast.whatsapp;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.kit.testing.PlainHttp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A Graph API, and the plugin, started, on the other side. */
final class WhatsAppRig extends GraphApiDouble {
  static final String VERIFY_TOKEN = "verify-canary";
  static final String PHONE = "16505551234";
  static final String USER = "US.13491208655302741918";
  static final Instant NOW = Instant.ofEpochSecond(1_795_000_000);

  private final FakeContext context = new FakeContext(new PlainHttp());
  private final FakeConfig config;

  WhatsAppRig(Map<String, ?> keys, Map<String, ?> more, Path folder) {
    Map<String, Object> accounts = new LinkedHashMap<>();
    accounts.put("main", account(keys));
    accounts.putAll(more);
    config = new FakeConfig(Map.of("base_url", url() + "/", "accounts", accounts));
    context.channelConfig(config).stateFolder(folder);
    start();
  }

  static WhatsAppRig open(Path folder) {
    return new WhatsAppRig(Map.of(), Map.of(), folder);
  }

  /** A section with everything, and these keys. */
  static Map<String, Object> account(Map<String, ?> keys) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("token", TOKEN);
    account.put("app_secret", APP_SECRET);
    account.put("verify_token", VERIFY_TOKEN);
    account.put("phone_number_id", NUMBER);
    account.put("allow", Map.of("users", List.of("*")));
    account.putAll(keys);
    return account;
  }

  /** Starts the plugin, again if it runs. */
  WhatsAppRig start() {
    try {
      new WhatsAppPlugin().start(context);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** What was posted to the number's messages. */
  List<Map<String, Object>> posted() {
    return bodies("messages");
  }

  FakeContext context() {
    return context;
  }

  FakeConfig config() {
    return config;
  }

  ChannelAdapter channel() {
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems().toString());
    }
    return context.channels().getLast();
  }

  /** A request as Meta signs it. */
  static WebhookRequest signed(String body) {
    return request(signature(body), body);
  }

  static WebhookRequest request(String signature, String body) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of("application/json"));
    headers.put("x-hub-signature-256", List.of(signature));
    return request(headers, body);
  }

  static WebhookRequest request(Map<String, List<String>> headers, String body) {
    return new WebhookRequest(
        "POST", "main", headers, Map.of(), body.getBytes(StandardCharsets.UTF_8), NOW);
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return channel().receive(request);
  }

  /** What a signed delivery with these messages becomes. */
  WebhookVerdict receive(Map<?, ?>... messages) throws InterruptedException {
    return receive(signed(delivery(NUMBER, "messages", List.of(messages))));
  }

  /**
   * A delivery as Meta writes it.
   *
   * @param key of the value in which the items stand
   */
  static String delivery(String number, String key, List<?> items) {
    return change("messages", value(number, key, items));
  }

  static Map<String, Object> value(String number, String key, List<?> items) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("messaging_product", "whatsapp");
    value.put("metadata", Map.of("display_phone_number", "15550783881", "phone_number_id", number));
    value.put(
        "contacts",
        List.of(Map.of("profile", Map.of("name", "Ann"), "wa_id", PHONE, "user_id", USER)));
    value.put(key, items);
    return value;
  }

  /** A message of the usual person. */
  static Map<String, Object> message(String id, String type, Map<String, ?> content) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("from", PHONE);
    message.put("from_user_id", USER);
    message.put("id", id);
    message.put("timestamp", Long.toString(NOW.getEpochSecond()));
    message.put("type", type);
    message.put(type, content);
    return message;
  }

  static Map<String, Object> text(String id, String text) {
    return message(id, "text", Map.of("body", text));
  }

  static Map<String, Object> pressed(String id, String token) {
    return message(
        id,
        "interactive",
        Map.of("type", "button_reply", "button_reply", Map.of("id", token, "title", "Approve")));
  }

  static OutboundReply reply(String thread, String text) {
    return reply(thread, text, List.of(), List.of());
  }

  static OutboundReply reply(
      String thread, String text, List<StoredFile> files, List<Choice> choices) {
    return new OutboundReply(
        "r1.1", "e1", "main", thread, "wamid.Q1", text, 1, 1, false, files, choices);
  }
}
