package dev.holdfast.slack;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSockets;
import dev.holdfast.kit.testing.SlackDouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Slack, and the plugin, started, on the other side. */
final class SlackRig extends SlackDouble {
  static final String SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
  private static final String HELLO = "{\"type\":\"hello\",\"num_connections\":1}";
  static final Instant NOW = Instant.ofEpochSecond(1_531_420_618);

  private final FakeSockets sockets = new FakeSockets(socket -> socket.say(HELLO));
  private final FakeContext context = sockets.context();
  private final FakeConfig config;

  /** A call of the Web API. */
  record Called(String method, Map<String, String> parameters, String token) {
    String get(String key) {
      return parameters.getOrDefault(key, "");
    }
  }

  private SlackRig(Map<String, ?> keys, Path folder) {
    super(100);
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("bot_token", BOT_TOKEN);
    account.putAll(keys);
    config =
        new FakeConfig(Map.of("base_url", baseUrl() + "/", "accounts", Map.of("main", account)));
    context.channelConfig(config).stateFolder(folder);
    start();
  }

  static SlackRig events(Path folder) {
    return new SlackRig(
        Map.of("signing_secret", SECRET, "allow", Map.of("users", List.of("*"))), folder);
  }

  static SlackRig socket(Path folder) {
    return new SlackRig(Map.of("app_token", APP_TOKEN), folder);
  }

  static SlackRig with(Map<String, ?> keys, Path folder) {
    return new SlackRig(keys, folder);
  }

  /** Starts the plugin, again if it runs. */
  SlackRig start() {
    try {
      new SlackPlugin().start(threaded());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** As the server's: its jobs of sockets run. */
  private PluginContext threaded() {
    return (PluginContext)
        Proxy.newProxyInstance(
            PluginContext.class.getClassLoader(),
            new Class<?>[] {PluginContext.class},
            (_, method, given) -> {
              if (method.getName().equals("run")
                  && given[0].toString().matches("slack-(socket|missed)-.*")) {
                PluginContext.Job job = (PluginContext.Job) given[1];
                Thread thread = Thread.ofVirtual().start(() -> run(job));
                return (PluginContext.Background) thread::interrupt;
              }
              try {
                return method.invoke(context, given);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void run(PluginContext.Job job) {
    try {
      job.run();
    } catch (InterruptedException _) {
      // it was cancelled
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static Said ok(String members) {
    return Said.json(200, members.isEmpty() ? "{\"ok\":true}" : "{\"ok\":true," + members + "}");
  }

  List<Called> calls(String method) {
    return asked(method).stream()
        .map(asked -> new Called(method, form(asked.body()), asked.header("authorization")))
        .toList();
  }

  /** Methods in the order of their calls, without those that ask who the app is. */
  List<String> methods() {
    return asked().stream().map(this::call).filter(method -> !method.equals("auth.test")).toList();
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

  /** A request as Slack signs it. */
  static WebhookRequest signed(String contentType, String body) {
    return signed(contentType, body, SECRET, NOW);
  }

  static WebhookRequest signed(String contentType, String body, String secret, Instant at) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of(contentType));
    headers.put("x-slack-request-timestamp", List.of(Long.toString(at.getEpochSecond())));
    headers.put("x-slack-signature", List.of(signature(body, secret, at)));
    return request(headers, body);
  }

  static String signature(String body, String secret, Instant at) {
    byte[] head = ("v0:" + at.getEpochSecond() + ":").getBytes(StandardCharsets.UTF_8);
    byte[] mac =
        HmacKey.ofText(HmacKey.Algorithm.SHA256, secret)
            .sign(head, body.getBytes(StandardCharsets.UTF_8));
    return "v0=" + HexFormat.of().formatHex(mac);
  }

  static WebhookRequest request(Map<String, List<String>> headers, String body) {
    return new WebhookRequest(
        "POST", "main", headers, Map.of(), body.getBytes(StandardCharsets.UTF_8), NOW);
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return channel().receive(request);
  }

  /** What a signed event of this server's workspace becomes. */
  WebhookVerdict receiveEvent(Map<String, ?> event) throws InterruptedException {
    return receive(signed("application/json", callback(event)));
  }

  static String callback(Map<String, ?> event) {
    return JsonText.write(callback("Ev1", event));
  }

  static OutboundReply reply(String thread, String text) {
    return reply(thread, text, List.of(), List.of());
  }

  static OutboundReply reply(
      String thread, String text, List<StoredFile> files, List<Choice> choices) {
    return new OutboundReply(
        "r1.1", "e1", "main", thread, "C1:10.000001", text, 1, 1, false, files, choices);
  }
}
