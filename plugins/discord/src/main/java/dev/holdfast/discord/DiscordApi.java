package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.MultipartForm;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The REST API with one token. Each call is made once, and not before Discord takes it; blocks the
 * calling thread. Thread-safe.
 */
final class DiscordApi {
  /** Of the form that Discord wants; its proxy refuses requests without. */
  static final String USER_AGENT = "DiscordBot (Holdfast, 1)";

  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  private final PluginContext context;
  private final String baseUrl;
  private final String token;
  private final RoutePace pace;

  /** {@code baseUrl}: without a slash at its end. */
  DiscordApi(PluginContext context, String baseUrl, String token) {
    this.context = context;
    this.baseUrl = baseUrl;
    this.token = token;
    this.pace = new RoutePace(context);
  }

  String baseUrl() {
    return baseUrl;
  }

  RoutePace pace() {
    return pace;
  }

  DiscordAnswer get(String path, Duration timeout)
      throws CallFailedException, InterruptedException {
    return send("GET", path, "", new byte[0], timeout);
  }

  DiscordAnswer delete(String path, Duration timeout)
      throws CallFailedException, InterruptedException {
    return send("DELETE", path, "", new byte[0], timeout);
  }

  /** Without a body, for what takes none. */
  DiscordAnswer post(String path, Duration timeout)
      throws CallFailedException, InterruptedException {
    return send("POST", path, "", new byte[0], timeout);
  }

  DiscordAnswer post(String path, Map<String, ?> body)
      throws CallFailedException, InterruptedException {
    return post(path, body, CALL_MAX);
  }

  DiscordAnswer post(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return send("POST", path, "application/json", bytes(body), timeout);
  }

  DiscordAnswer patch(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return send("PATCH", path, "application/json", bytes(body), timeout);
  }

  /** {@code method}: POST or PATCH. */
  DiscordAnswer form(String method, String path, MultipartForm form, Duration timeout)
      throws CallFailedException, InterruptedException {
    return send(method, path, form.contentType(), form.bytes(), timeout);
  }

  private static byte[] bytes(Map<String, ?> body) {
    return JsonText.write(body).getBytes(StandardCharsets.UTF_8);
  }

  /** What limits of calls are counted by: each channel and each token has its own. */
  static String route(String method, String path) {
    int query = path.indexOf('?');
    String plain = query < 0 ? path : path.substring(0, query);
    return method + " " + plain.replaceFirst("/messages/[0-9]+$", "/messages/ID");
  }

  private DiscordAnswer send(
      String method, String path, String contentType, byte[] body, Duration timeout)
      throws CallFailedException, InterruptedException {
    String route = route(method, path);
    pace.await(route);
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("user-agent", USER_AGENT);
    if (!path.startsWith("/webhooks/") && !path.startsWith("/interactions/")) {
      headers.put("authorization", "Bot " + token); // those have tokens of their own
    }
    if (!contentType.isEmpty()) {
      headers.put("content-type", contentType);
    }
    PluginHttp.Answer answer =
        context
            .http()
            .send(
                new PluginHttp.Request(
                    method, baseUrl + path, headers, body, timeout, BYTES_MAX, false));
    DiscordAnswer said = DiscordAnswer.of(answer, context.now());
    pace.note(route, said);
    return said;
  }

  /** Fetches a file; no token goes with it. */
  PluginHttp.Answer file(String url, int bytesMax, Duration timeout)
      throws CallFailedException, InterruptedException {
    return context
        .http()
        .download(
            new PluginHttp.Request(
                "GET",
                url,
                Map.of("user-agent", USER_AGENT),
                new byte[0],
                timeout,
                bytesMax,
                false));
  }
}
