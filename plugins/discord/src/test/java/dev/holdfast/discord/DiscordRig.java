package dev.holdfast.discord;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.HttpDouble;
import dev.holdfast.kit.testing.HttpDouble.Asked;
import dev.holdfast.kit.testing.HttpDouble.Said;
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
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The plugin, started, with a REST API on the other side that answers as a test wants. */
final class DiscordRig implements AutoCloseable {
  static final String TOKEN = "canary.of.discord";
  static final String BOT = "900";
  static final String APP = "901";
  static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  /** Of RFC 8032, its first test. */
  static final String PUBLIC_KEY =
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

  static final String SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

  private static final Pattern STORED = Pattern.compile("/channels/(\\d+)/messages(?:/(\\d+))?");

  private final Map<String, Queue<Said>> next = new ConcurrentHashMap<>();
  private final Map<String, Function<Asked, Said>> always = new ConcurrentHashMap<>();
  private final HttpDouble api = new HttpDouble(this::answer);
  private final FakeDiscordSockets sockets = new FakeDiscordSockets();
  private final FakeContext context = new FakeContext(sockets);
  private final FakeConfig config;
  private long posts = 1000;

  private DiscordRig(Map<String, ?> keys, Path folder) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("bot_token", TOKEN);
    account.putAll(keys);
    config =
        new FakeConfig(
            Map.of("base_url", api.url() + "/api/", "accounts", Map.of("main", account)));
    context.channelConfig(config).stateFolder(folder);
    sockets.clock(context);
    says("GET /users/@me", "{\"id\":\"" + BOT + "\",\"username\":\"helper\"}");
    application(1L << 19, "");
    says(
        "GET /gateway/bot",
        "{\"url\":\"wss://gateway.example\",\"shards\":1,\"session_start_limit\":"
            + "{\"total\":1000,\"remaining\":999,\"reset_after\":0,\"max_concurrency\":1}}");
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
    return says(
        "GET /applications/@me",
        "{\"id\":\"%s\",\"flags\":%d,\"verify_key\":\"%s\",\"interactions_endpoint_url\":\"%s\"}"
            .formatted(APP, flags, PUBLIC_KEY, endpoint));
  }

  static Said error(int status, long code) {
    return Said.json(status, "{\"code\":" + code + ",\"message\":\"told by Discord\"}");
  }

  /** The next calls are answered by these, one each; {@code call}: method, blank and path. */
  DiscordRig next(String call, Said... said) {
    next.computeIfAbsent(call, _ -> new ConcurrentLinkedQueue<>()).addAll(List.of(said));
    return this;
  }

  DiscordRig always(String call, Said said) {
    always.put(call, _ -> said);
    return this;
  }

  DiscordRig says(String call, String json) {
    return always(call, Said.json(200, json));
  }

  private Said answer(Asked asked) {
    String call = call(asked);
    Queue<Said> queue = next.get(call);
    @Nullable Said said = queue == null ? null : queue.poll();
    if (said != null) {
      return said;
    }
    @Nullable Function<Asked, Said> usual = always.get(call);
    return usual == null ? usual(asked) : usual.apply(asked);
  }

  /** Posts and edits succeed. */
  private synchronized Said usual(Asked asked) {
    String path = asked.path();
    if (asked.method().equals("DELETE") || path.endsWith("/typing") || path.endsWith("/callback")) {
      return new Said(204, Map.of(), "");
    }
    if (asked.method().equals("GET")) {
      return path.contains("/messages?") || path.endsWith("/commands")
          ? Said.json(200, "[]")
          : error(404, 10003);
    }
    posts += asked.method().equals("POST") ? 1 : 0;
    Matcher stored = STORED.matcher(path);
    boolean isIn = stored.find();
    boolean isEdit = isIn && stored.group(2) != null;
    return stored(isIn ? stored.group(1) : "50", isEdit ? stored.group(2) : Long.toString(posts));
  }

  /** A message, as Discord answers to a post and to an edit. */
  static Said stored(String channel, String id) {
    return Said.json(200, "{\"id\":\"" + id + "\",\"channel_id\":\"" + channel + "\"}");
  }

  private static String call(Asked asked) {
    return asked.method() + " " + asked.path().replaceFirst("^/api", "").replaceFirst("\\?.*", "");
  }

  List<Asked> asked(String call) {
    return api.asked().stream().filter(asked -> call(asked).equals(call)).toList();
  }

  /** Bodies of those calls. */
  List<Map<String, Object>> bodies(String call) {
    return asked(call).stream().map(asked -> JsonText.object(asked.body())).toList();
  }

  /** Calls in their order, without those that ask who the bot is. */
  List<String> calls() {
    return api.asked().stream()
        .map(DiscordRig::call)
        .filter(call -> !call.endsWith("/@me"))
        .toList();
  }

  String url() {
    return api.url();
  }

  FakeContext context() {
    return context;
  }

  FakeConfig config() {
    return config;
  }

  FakeDiscordSockets sockets() {
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
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("type", 0L);
    message.put("channel_id", channel);
    message.put("content", text);
    message.put("author", Map.of("id", user, "username", "ann"));
    if (!guild.isEmpty()) {
      message.put("guild_id", guild);
    }
    return message;
  }

  static Map<String, Object> interaction(String id, int type, Map<String, ?> data) {
    Map<String, Object> interaction = new LinkedHashMap<>();
    interaction.put("id", id);
    interaction.put("application_id", APP);
    interaction.put("type", type);
    interaction.put("token", "tok_" + id);
    interaction.put("guild_id", "70");
    interaction.put("channel_id", "50");
    interaction.put("channel", Map.of("id", "50", "type", 0));
    interaction.put("member", Map.of("user", Map.of("id", "7", "username", "ann")));
    interaction.put("data", data);
    return interaction;
  }

  static Map<String, Object> ask(String id, String text) {
    return interaction(
        id,
        2,
        Map.of(
            "type",
            1,
            "name",
            "ask",
            "options",
            List.of(Map.of("name", "text", "type", 3, "value", text))));
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

  @Override
  public void close() {
    api.close();
  }
}
