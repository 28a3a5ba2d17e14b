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
import dev.holdfast.kit.testing.FakeSocket;
import dev.holdfast.kit.testing.FakeSockets;
import dev.holdfast.kit.testing.HttpDouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Mattermost, and the plugin, started, on the other side. */
final class MattermostRig extends HttpDouble {
  static final String TOKEN = "canary-of-mattermost";
  static final String SLASH = "canary-of-slash";
  static final String HOOK = "canary-of-hook";
  static final String ME = "me0000000000000000000000bo";
  static final MattermostIdentity BOT =
      new MattermostIdentity(ME, "holdfast", true, List.of("system_user"));

  private final AtomicInteger posts = new AtomicInteger(100);
  private final FakeSockets sockets = new FakeSockets(this::opened);
  private final FakeContext context = sockets.context();
  private final List<String> urls = new CopyOnWriteArrayList<>();
  private volatile boolean resumes;
  private volatile boolean answersPings = true;
  private final FakeConfig config;

  private MattermostRig(Map<String, ?> keys, Path folder, boolean hasButtons) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("url", url() + "/");
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
    always(
        "GET /users/me",
        ok(Map.of("id", ME, "username", "holdfast", "is_bot", true, "roles", "system_user")));
    always("GET /users/me/channels", Said.json(200, "[]"));
    always("POST /posts", _ -> ok(Map.of("id", "post" + posts.incrementAndGet())));
    always("PUT /posts/*/patch", asked -> ok(Map.of("id", asked.path().split("/", -1)[4])));
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

  @Override
  protected Said usual(Asked asked) {
    return error(404, "api.context.404.app_error");
  }

  /** Method and path, without ids and query. */
  @Override
  protected String call(Asked asked) {
    String path =
        asked
            .path()
            .replaceFirst("^/api/v4", "")
            .replaceFirst("\\?.*", "")
            .replaceFirst("^/(posts|channels|files)/(?!ephemeral|direct)[^/]+", "/$1/*");
    return asked.method() + " " + path;
  }

  /** All calls in their order, without those that ask who the bot is. */
  List<String> calls() {
    return asked().stream().map(this::call).filter(call -> !call.equals("GET /users/me")).toList();
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

  /** Says hello, and answers pings, unless it is told otherwise. */
  private void opened(FakeSocket socket) {
    urls.add(socket.request().url());
    if (answersPings) {
      answerPings(socket, "\"status\":\"OK\",\"data\":{\"text\":\"pong\"}");
    }
    if (!resumes || !socket.request().url().contains("connection_id=")) {
      String id = "conn" + urls.size();
      Map<String, ?> data = Map.of("connection_id", id, "server_version", "10.5.0");
      socket.say(Map.of("event", "hello", "data", data, "seq", 0));
    }
  }

  /** Pings are answered with these members from now on. */
  static void answerPings(FakeSocket socket, String members) {
    socket.onSend(
        frame -> {
          if (JsonText.text(frame, "action").equals("ping")) {
            socket.say("{\"seq_reply\":" + JsonText.whole(frame, "seq", 0) + "," + members + "}");
          }
        });
  }

  /** A connection that is asked to resume says no hello from now on. */
  void resume() {
    resumes = true;
  }

  /** Whether sockets that are opened from now on answer. */
  void answerPings(boolean whether) {
    answersPings = whether;
  }

  /** Where connections were opened. */
  List<String> urls() {
    return List.copyOf(urls);
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
}
