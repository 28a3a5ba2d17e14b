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
import dev.holdfast.kit.testing.HttpDouble;
import dev.holdfast.kit.testing.HttpDouble.Asked;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
import org.jspecify.annotations.Nullable;

/** The plugin, started, with a Web API on the other side that answers as a test wants. */
final class SlackRig implements AutoCloseable {
  static final String SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
  static final String BOT_TOKEN = "xoxb-canary-77";
  static final String APP_TOKEN = "xapp-canary-78";
  static final Instant NOW = Instant.ofEpochSecond(1_531_420_618);

  private final Map<String, Queue<Said>> next = new ConcurrentHashMap<>();
  private final Map<String, Function<Asked, Said>> always = new ConcurrentHashMap<>();
  private final HttpDouble api = new HttpDouble(this::answer);
  private final FakeSlackSockets sockets = new FakeSlackSockets();
  private final FakeContext context = new FakeContext(sockets);
  private final FakeConfig config;
  private long posts = 100;

  /** A call of the Web API. */
  record Called(String method, Map<String, String> parameters, String token) {
    String get(String key) {
      return parameters.getOrDefault(key, "");
    }
  }

  private SlackRig(Map<String, ?> keys, Path folder) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("bot_token", BOT_TOKEN);
    account.putAll(keys);
    config =
        new FakeConfig(
            Map.of("base_url", api.url() + "/api/", "accounts", Map.of("main", account)));
    context.channelConfig(config).stateFolder(folder);
    sockets.clock(context);
    always.put(
        "auth.test",
        _ ->
            new Said(
                200,
                Map.of("x-oauth-scopes", "chat:write,im:history, files:read"),
                "{\"ok\":true,\"user_id\":\"UBOT\",\"bot_id\":\"BBOT\",\"team_id\":\"T1\","
                    + "\"team\":\"Acme\"}"));
    always.put("apps.connections.open", _ -> ok("\"url\":\"wss://fake/1\""));
    for (String method : List.of("chat.postMessage", "chat.startStream")) {
      always.put(method, _ -> ok("\"ts\":\"" + nextTs() + "\""));
    }
    for (String method :
        List.of(
            "chat.delete",
            "chat.postEphemeral",
            "chat.appendStream",
            "chat.stopStream",
            "assistant.threads.setStatus",
            "files.completeUploadExternal")) {
      always.put(method, _ -> ok(""));
    }
    always.put("chat.update", asked -> ok("\"ts\":\"" + form(asked.body()).get("ts") + "\""));
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

  private synchronized String nextTs() {
    posts++;
    return posts + ".000001";
  }

  static Said ok(String members) {
    return Said.json(200, members.isEmpty() ? "{\"ok\":true}" : "{\"ok\":true," + members + "}");
  }

  static Said error(String code) {
    return Said.json(200, "{\"ok\":false,\"error\":\"" + code + "\"}");
  }

  /** The next calls of the method are answered by these, one each. */
  SlackRig next(String method, Said... said) {
    next.computeIfAbsent(method, _ -> new ConcurrentLinkedQueue<>()).addAll(List.of(said));
    return this;
  }

  SlackRig always(String method, Said said) {
    always.put(method, _ -> said);
    return this;
  }

  private Said answer(Asked asked) {
    String method = method(asked);
    Queue<Said> queue = next.get(method);
    @Nullable Said said = queue == null ? null : queue.poll();
    if (said != null) {
      return said;
    }
    @Nullable Function<Asked, Said> usual = always.get(method);
    return usual == null ? error("unknown_method") : usual.apply(asked);
  }

  private static String method(Asked asked) {
    return asked.path().replaceFirst("^/api/", "").replaceFirst("\\?.*", "");
  }

  List<Called> calls(String method) {
    List<Called> calls = new ArrayList<>();
    for (Asked asked : api.asked()) {
      if (method(asked).equals(method)) {
        calls.add(
            new Called(
                method, form(asked.body()), asked.headers().getOrDefault("authorization", "")));
      }
    }
    return calls;
  }

  /** Methods in the order of their calls, without those that ask who the app is. */
  List<String> methods() {
    return api.asked().stream()
        .map(SlackRig::method)
        .filter(method -> !method.equals("auth.test"))
        .toList();
  }

  static Map<String, String> form(String body) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : body.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        fields.put(
            URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return fields;
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

  FakeSlackSockets sockets() {
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
    return JsonText.write(
        Map.of("type", "event_callback", "event_id", "Ev1", "team_id", "T1", "event", event));
  }

  static Map<String, Object> message(String channel, String ts, String user, String text) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("type", "message");
    event.put("channel", channel);
    event.put("ts", ts);
    event.put("user", user);
    event.put("text", text);
    return event;
  }

  static OutboundReply reply(String thread, String text) {
    return reply(thread, text, List.of(), List.of());
  }

  static OutboundReply reply(
      String thread, String text, List<StoredFile> files, List<Choice> choices) {
    return new OutboundReply(
        "r1.1", "e1", "main", thread, "C1:10.000001", text, 1, 1, false, files, choices);
  }

  @Override
  public void close() {
    api.close();
  }
}
