package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.HttpDouble;
import dev.holdfast.kit.testing.PlainHttp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** GitHub, and the plugin, started, on the other side. */
final class GithubRig extends HttpDouble {
  static final String TOKEN = "github_pat_canary_77";
  static final String SECRET = "It's a Secret to Everybody";
  static final String COMMENTS = "GET /repos/octocat/hello/issues/comments";
  static final String REVIEWS = "GET /repos/octocat/hello/pulls/comments";
  static final String ISSUES = "GET /repos/octocat/hello/issues";
  static final String REPOSITORY =
      "{\"id\":500,\"full_name\":\"octocat/hello\",\"owner\":{\"id\":40,\"login\":\"octocat\"},"
          + "\"permissions\":{\"pull\":true,\"push\":false}}";
  private static final String ME = "{\"id\":900,\"login\":\"holdfast-bot\",\"type\":\"User\"}";

  private final FakeContext context = new FakeContext(new PlainHttp());
  private final FakeSink sink = new FakeSink();
  private final FakeConfig config;

  /** The call whose connection broke just now; empty when none did. */
  private String broken = "";

  private volatile Runnable onAnswer = () -> {};

  private GithubRig(Map<String, ?> keys) {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("token", TOKEN);
    account.put("repositories", List.of("octocat/hello"));
    account.put("allow", Map.of("chats", List.of("500")));
    account.putAll(keys);
    config =
        new FakeConfig(Map.of("base_url", url() + "/api/v3/", "accounts", Map.of("main", account)));
    context.channelConfig(config);
    always("GET /user", Said.json(200, ME));
    always("GET /repos/octocat/hello", Said.json(200, REPOSITORY));
    for (String list : List.of(COMMENTS, REVIEWS, ISSUES)) {
      always(list, list());
    }
    start(context);
  }

  static void start(FakeContext context) {
    try {
      new GithubPlugin().start(context);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static GithubRig poll() {
    return new GithubRig(Map.of());
  }

  static GithubRig webhook() {
    return new GithubRig(Map.of("mode", "webhook", "webhook_secret", SECRET));
  }

  static GithubRig with(Map<String, ?> keys) {
    return new GithubRig(keys);
  }

  /** What happens at each call. */
  void onAnswer(Runnable job) {
    onAnswer = job;
  }

  @Override
  protected synchronized Said answer(Asked asked) throws InterruptedException {
    onAnswer.run();
    String call = call(asked);
    if (call.equals(broken)) {
      broken = ""; // the JDK's client asks again where it may
      return Said.nothing();
    }
    Said answer = super.answer(asked);
    broken = answer.status() == 0 ? call : "";
    return answer;
  }

  @Override
  protected Said usual(Asked asked) {
    return refused(404, "Not Found");
  }

  /** The method and the path without its query. */
  @Override
  protected String call(Asked asked) {
    String path = asked.path().replaceFirst("\\?.*", "").replaceFirst("^/api/v3", "");
    return asked.method() + " " + path;
  }

  static Said list(String... items) {
    return Said.json(200, "[" + String.join(",", items) + "]");
  }

  static Said refused(int status, String message) {
    return Said.json(status, JsonText.write(Map.of("message", message)));
  }

  static Map<String, Object> user(long id, String login) {
    return Map.of("id", id, "login", login, "type", "User");
  }

  /** A comment of a member on issue 7, as lists and deliveries have it. */
  static Map<String, Object> comment(long id, String body, Instant written) {
    Map<String, Object> comment = new LinkedHashMap<>();
    comment.put("id", id);
    comment.put("body", body);
    comment.put("user", user(7, "alice"));
    comment.put("author_association", "MEMBER");
    comment.put("performed_via_github_app", JsonText.NULL);
    comment.put("issue_url", "https://api.github.com/repos/octocat/hello/issues/7");
    comment.put("created_at", written.toString());
    comment.put("updated_at", written.toString());
    return comment;
  }

  static Map<String, Object> issue(long number, String title, String body, Instant written) {
    Map<String, Object> issue = comment(70_000 + number, body, written);
    issue.remove("issue_url");
    issue.put("number", number);
    issue.put("title", title);
    return issue;
  }

  static String json(Map<String, ?> object) {
    return JsonText.write(object);
  }

  /** A delivery of this repository. */
  static String delivery(String action, Map<String, ?> more) {
    Map<String, Object> payload = new LinkedHashMap<>(more);
    payload.put("action", action);
    payload.put("repository", JsonText.object(REPOSITORY));
    return JsonText.write(payload);
  }

  static String signature(String body, String secret) {
    return "sha256="
        + HexFormat.of()
            .formatHex(
                HmacKey.ofText(HmacKey.Algorithm.SHA256, secret)
                    .sign(body.getBytes(StandardCharsets.UTF_8)));
  }

  static WebhookRequest signed(String event, String body) {
    return request(event, List.of(signature(body, SECRET)), body);
  }

  static WebhookRequest request(String event, List<String> signatures, String body) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of("application/json"));
    headers.put("x-github-event", List.of(event));
    headers.put("x-hub-signature-256", signatures);
    return new WebhookRequest(
        "POST", "main", headers, Map.of(), body.getBytes(StandardCharsets.UTF_8), Instant.EPOCH);
  }

  static OutboundReply reply(String text) {
    return new OutboundReply(
        "r1.1", "e1", "main", "octocat/hello#7", "comment:11", text, 1, 1, false);
  }

  /** Listens until the API breaks the connection or refuses. */
  CallFailedException listen() {
    return listen(sink);
  }

  CallFailedException listen(FakeSink sink) {
    try {
      channel().listen("main", sink);
    } catch (CallFailedException e) {
      return e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("it ended without a failure");
  }

  FakeSink sink() {
    return sink;
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
}
