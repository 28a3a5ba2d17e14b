package dev.holdfast.discord;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Discord, and the plugin, started, on the other side. */
final class DiscordRig extends DiscordDouble {
  static final String HELLO = "{\"op\":10,\"d\":{\"heartbeat_interval\":41250}}";
  static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  /** Of RFC 8032, its first test. */
  static final String PUBLIC_KEY =
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

  static final String SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  private final FakeSockets sockets = new FakeSockets(socket -> socket.say(HELLO));
  private final FakeContext context = sockets.context();
  private final FakeConfig config;

  private DiscordRig(Map<String, ?> keys, Path folder) {
    super(1000);
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("bot_token", TOKEN);
    account.putAll(keys);
    config =
        new FakeConfig(Map.of("base_url", baseUrl() + "/", "accounts", Map.of("main", account)));
    context.channelConfig(config).stateFolder(folder);
    application(1L << 19, "");
    start();
  }

  static DiscordRig gateway(Path folder) {
    return new DiscordRig(Map.of(), folder);
  }

  static DiscordRig interactions(Path folder) {
    return new DiscordRig(
        Map.of(
            "public_key",
            PUBLIC_KEY,
            "mode",
            "interactions",
            "allow",
            Map.of("users", List.of("*"))),
        folder);
  }

  static DiscordRig with(Map<String, ?> keys, Path folder) {
    return new DiscordRig(keys, folder);
  }

  /** Starts the plugin, again if it runs. */
  DiscordRig start() {
    try {
      new DiscordPlugin().start(context);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** What the application is. */
  DiscordRig application(long flags, String endpoint) {
    says(
        "GET /applications/@me",
        "{\"id\":\"%s\",\"flags\":%d,\"verify_key\":\"%s\",\"interactions_endpoint_url\":\"%s\"}"
            .formatted(APP, flags, PUBLIC_KEY, endpoint));
    return this;
  }

  void says(String call, String json) {
    always(call, Said.json(200, json));
  }

  /** A message, as Discord answers to a post and to an edit. */
  static Said stored(String channel, String id) {
    return Said.json(200, "{\"id\":\"" + id + "\",\"channel_id\":\"" + channel + "\"}");
  }

  /** Calls in their order, without those that ask who the bot is. */
  List<String> calls() {
    return asked().stream().map(this::call).filter(call -> !call.endsWith("/@me")).toList();
  }

  FakeContext context() {
    return context;
  }

  FakeConfig config() {
    return config;
  }

  FakeSockets sockets() {
    return sockets;
  }

  ChannelAdapter channel() {
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems().toString());
    }
    return context.channels().getLast();
  }

  static PrivateKey privateKey(String seed) {
    try {
      byte[] encoded = HexFormat.of().parseHex("302e020100300506032b657004220420" + seed);
      return KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static String signature(String body, String seed, Instant at) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(privateKey(seed));
      signature.update((at.getEpochSecond() + body).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** A request as Discord signs it. */
  static WebhookRequest signed(String body) {
    return signed(body, SEED, NOW);
  }

  static WebhookRequest signed(String body, String seed, Instant at) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of("application/json"));
    headers.put("x-signature-timestamp", List.of(Long.toString(at.getEpochSecond())));
    headers.put("x-signature-ed25519", List.of(signature(body, seed, at)));
    return request(headers, body);
  }

  static WebhookRequest request(Map<String, List<String>> headers, String body) {
    return new WebhookRequest(
        "POST", "main", headers, Map.of(), body.getBytes(StandardCharsets.UTF_8), NOW);
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return channel().receive(request);
  }

  /** A message of a person, in a server when {@code guild} is not empty. */
  static Map<String, Object> message(
      String channel, String guild, String id, String user, String text) {
    Map<String, Object> message = message(channel, id, user, text);
    if (!guild.isEmpty()) {
      message.put("guild_id", guild);
    }
    return message;
  }

  static Map<String, Object> interaction(String id, int type, Map<String, ?> data) {
    Map<String, Object> interaction = interaction(id, type, "50", 0);
    interaction.put("guild_id", "70");
    interaction.put("member", Map.of("user", Map.of("id", "7", "username", "ann")));
    interaction.put("data", data);
    return interaction;
  }

  static Map<String, Object> ask(String id, String text) {
    return interaction(id, 2, asking(text));
  }

  static OutboundReply reply(String text) {
    return reply("50", text, "50:2000", List.of(), List.of());
  }

  static OutboundReply reply(
      String thread, String text, String inReplyTo, List<StoredFile> files, List<Choice> choices) {
    return new OutboundReply(
        "r1.1", "e1", "main", thread, inReplyTo, text, 1, 1, false, files, choices);
  }

  /** Another part of a reply. */
  static OutboundReply part(int part, String text, String inReplyTo) {
    return new OutboundReply("r1." + part, "e1", "main", "50", inReplyTo, text, part, 2, false);
  }

  static List<String> ids(List<Map<String, Object>> bodies, String key) {
    List<String> all = new ArrayList<>();
    bodies.forEach(body -> all.add(String.valueOf(body.get(key))));
    return all;
  }
}
