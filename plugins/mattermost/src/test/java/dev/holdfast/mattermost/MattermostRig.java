package dev.holdfast.mattermost;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.Draft;
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
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The plugin, started, with an API on the other side that answers as a test wants. */
final class MattermostRig implements AutoCloseable {
  static final String TOKEN = "canary-of-mattermost";
  static final String SLASH = "canary-of-slash";
  static final String HOOK = "canary-of-hook";
  static final String ME = "me0000000000000000000000bo";
  static final MattermostIdentity BOT =
      new MattermostIdentity(ME, "holdfast", true, List.of("system_user"));

  private final Map<String, Queue<Said>> next = new ConcurrentHashMap<>();
  private final Map<String, Function<Asked, Said>> always = new ConcurrentHashMap<>();
  private final AtomicInteger posts = new AtomicInteger(100);
  private final HttpDouble api = new HttpDouble(this::answer);
  private final FakeMattermostSockets sockets = new FakeMattermostSockets();
  private final FakeContext context = new FakeContext(sockets);
  private final FakeConfig config;

  private MattermostRig(Map<String, ?> keys, Path folder, boolean hasButtons) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("url", api.url() + "/");
    account.put("token", TOKEN);
    account.put("slash_token", "another, " + SLASH);
    account.put("hook_token", HOOK);
    account.putAll(keys);
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("accounts", Map.of("main", account));
    if (hasButtons) {
      section.put("public_url", "https://bot.example.org/");
    }
    config = new FakeConfig(section);
    context.channelConfig(config).stateFolder(folder);
    sockets.clock(context);
    always(
        "GET /users/me",
        ok(Map.of("id", ME, "username", "holdfast", "is_bot", true, "roles", "system_user")));
    always("GET /users/me/channels", Said.json(200, "[]"));
    always.put("POST /posts", _ -> ok(Map.of("id", "post" + posts.incrementAndGet())));
    always.put("PUT /posts/*/patch", asked -> ok(Map.of("id", asked.path().split("/", -1)[4])));
    always("DELETE /posts/*", ok(Map.of("status", "OK")));
    always("POST /users/me/typing", ok(Map.of("status", "OK")));
    start();
  }

  static MattermostRig with(Map<String, ?> keys, Path folder) {
    return new MattermostRig(keys, folder, false);
  }

  static MattermostRig in(Path folder) {
    return new MattermostRig(Map.of(), folder, false);
  }

  static MattermostRig withButtons(Path folder) {
    return new MattermostRig(Map.of(), folder, true);
  }

  /** Starts the plugin, again if it runs. */
  MattermostRig start() {
    try {
      new MattermostPlugin().start(context);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  static Said ok(Map<String, ?> body) {
    return Said.json(200, JsonText.write(body));
  }

  static Said error(int status, String id) {
    return Said.json(
        status,
        JsonText.write(Map.of("id", id, "message", "nobody reads it", "status_code", status)));
  }

  /** The next calls of the kind are answered by these, one each. */
  MattermostRig next(String call, Said... said) {
    next.computeIfAbsent(call, _ -> new ConcurrentLinkedQueue<>()).addAll(List.of(said));
    return this;
  }

  MattermostRig always(String call, Said said) {
    always.put(call, _ -> said);
    return this;
  }

  private Said answer(Asked asked) {
    String call = call(asked);
    Queue<Said> queue = next.get(call);
    @Nullable Said said = queue == null ? null : queue.poll();
    if (said != null) {
      return said;
    }
    @Nullable Function<Asked, Said> usual = always.get(call);
    return usual == null ? error(404, "api.context.404.app_error") : usual.apply(asked);
  }

  /** Method and path, without ids and query. */
  private static String call(Asked asked) {
    String path =
        asked
            .path()
            .replaceFirst("^/api/v4", "")
            .replaceFirst("\\?.*", "")
            .replaceFirst("^/(posts|channels|files)/(?!ephemeral|direct)[^/]+", "/$1/*");
    return asked.method() + " " + path;
  }

  List<Asked> asked(String call) {
    return api.asked().stream().filter(each -> call(each).equals(call)).toList();
  }

  /** The bodies of the calls of the kind. */
  List<Map<String, Object>> bodies(String call) {
    return asked(call).stream().map(each -> JsonText.object(each.body())).toList();
  }

  /** All calls in their order, without those that ask who the bot is. */
  List<String> calls() {
    return api.asked().stream()
        .map(MattermostRig::call)
        .filter(call -> !call.equals("GET /users/me"))
        .toList();
  }

  FakeContext context() {
    return context;
  }

  FakeConfig config() {
    return config;
  }

  FakeMattermostSockets sockets() {
    return sockets;
  }

  ChannelAdapter channel() {
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems().toString());
    }
    return context.channels().getLast();
  }

  static WebhookRequest request(Map<String, List<String>> headers, String body) {
    return new WebhookRequest(
        "POST",
        "main",
        headers,
        Map.of(),
        body.getBytes(StandardCharsets.UTF_8),
        Instant.ofEpochSecond(1));
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return channel().receive(request);
  }

  /** A post of Ann. */
  static Map<String, Object> post(String id, String channel, String text) {
    Map<String, Object> post = new LinkedHashMap<>();
    post.put("id", id);
    post.put("channel_id", channel);
    post.put("user_id", "ann");
    post.put("message", text);
    post.put("create_at", 1000);
    post.put("type", "");
    return post;
  }

  /** A page of a channel's history, newest first. */
  static Said history(List<Map<String, Object>> newestFirst) {
    Map<String, Object> byId = new LinkedHashMap<>();
    newestFirst.forEach(post -> byId.put(JsonText.text(post, "id"), post));
    return ok(Map.of("order", List.copyOf(byId.keySet()), "posts", byId));
  }

  static OutboundReply reply(String thread, String text) {
    return reply(thread, text, List.of(), List.of());
  }

  static OutboundReply reply(
      String thread, String text, List<StoredFile> files, List<Choice> choices) {
    return new OutboundReply(
        "r1.1", "e1", "main", thread, "asked1", text, 1, 1, false, files, choices);
  }

  static Draft draft(String thread, String text, String activity) {
    return new Draft("main", thread, "e1", text, activity);
  }

  @Override
  public void close() {
    api.close();
  }
}
