package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The REST API with one token. Each call is made once; where GitHub has moved something, once more
 * there. Blocks the calling thread. Thread-safe.
 */
final class GithubApi {
  private static final String VERSION = "2022-11-28";

  /** More than 30 items of the greatest length, however GitHub escapes them. */
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  private final PluginContext context;
  private final String baseUrl;
  private final Map<String, String> headers;

  /** {@code baseUrl}: without a slash at its end. */
  GithubApi(PluginContext context, String baseUrl, String token) {
    this.context = context;
    this.baseUrl = baseUrl;
    this.headers =
        Map.of(
            "authorization",
            "Bearer " + token,
            "accept",
            "application/vnd.github+json",
            "x-github-api-version",
            VERSION,
            "user-agent",
            "holdfast");
  }

  /** {@code path}: with its query. */
  GithubAnswer get(String path, Duration timeout) throws CallFailedException, InterruptedException {
    return get(path, "", timeout);
  }

  /**
   * Asks whether something has changed.
   *
   * @param tag of the answer that is known; empty for none
   */
  GithubAnswer get(String path, String tag, Duration timeout)
      throws CallFailedException, InterruptedException {
    Map<String, String> all = new LinkedHashMap<>(headers);
    if (!tag.isEmpty()) {
      all.put("if-none-match", tag);
    }
    return send("GET", path, all, new byte[0], timeout);
  }

  GithubAnswer post(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("content-type", "application/json");
    byte[] bytes = JsonText.write(body).getBytes(StandardCharsets.UTF_8);
    return send("POST", path, all, bytes, timeout);
  }

  private GithubAnswer send(
      String method, String path, Map<String, String> all, byte[] body, Duration timeout)
      throws CallFailedException, InterruptedException {
    GithubAnswer answer = sendOnce(method, baseUrl + path, all, body, timeout);
    String moved = answer.isRedirect() ? answer.header("location") : "";
    // The token goes to no other host.
    if (!moved.startsWith(baseUrl + "/") || moved.contains("/../")) {
      return answer;
    }
    int query = path.indexOf('?');
    String url = query < 0 || moved.contains("?") ? moved : moved + path.substring(query);
    return sendOnce(method, url, all, body, timeout);
  }

  private GithubAnswer sendOnce(
      String method, String url, Map<String, String> all, byte[] body, Duration timeout)
      throws CallFailedException, InterruptedException {
    PluginHttp.Answer answer =
        context
            .http()
            .send(new PluginHttp.Request(method, url, all, body, timeout, BYTES_MAX, false));
    return GithubAnswer.of(
        new JsonAnswer(answer.status(), answer.headers(), answer.body()), context.now());
  }
}
