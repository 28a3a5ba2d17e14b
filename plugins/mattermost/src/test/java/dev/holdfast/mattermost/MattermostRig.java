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
import dev.holdfast.kit.testing.MattermostDouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Mattermost, and the plugin, started, on the other side. */
final class MattermostRig extends MattermostDouble {
  static final String SLASH = "canary-of-slash";
  static final String HOOK = "canary-of-hook";
  static final MattermostIdentity SELF =
      new MattermostIdentity(BOT, "holdfast", true, List.of("system_user"));

  private final FakeSockets sockets = new FakeSockets(this::opened);
  private final FakeContext context = sockets.context();
  private final List<String> urls = new CopyOnWriteArrayList<>();
  private volatile boolean resumes;
  private volatile boolean answersPings = true;
  private final FakeConfig config;

  private MattermostRig(Map<String, ?> keys, Path folder, boolean hasButtons) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("url", url() + "/");
    account.put("token", BOT_TOKEN);
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

  /** The first post is 101. */
  @Override
  protected String id(String kind, int number) {
    return kind + (100 + number);
  }

  /** A call is part of a path, too. */
  @Override
  protected boolean isOf(String call, Asked asked) {
    return super.isOf(call, asked) || asked.path().contains(call);
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
