package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The Web API with one token. Parameters go as a form, which every method takes; what is an object
 * or a list goes as JSON in it. Each call is made once; blocks the calling thread. Thread-safe.
 */
final class SlackApi {
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  private final PluginContext context;
  private final String baseUrl;
  private final String token;

  /** {@code baseUrl}: without a slash at its end. */
  SlackApi(PluginContext context, String baseUrl, String token) {
    this.context = context;
    this.baseUrl = baseUrl;
    this.token = token;
  }

  SlackAnswer call(String method, Map<String, ?> parameters)
      throws CallFailedException, InterruptedException {
    return call(method, parameters, CALL_MAX);
  }

  SlackAnswer call(String method, Map<String, ?> parameters, Duration timeout)
      throws CallFailedException, InterruptedException {
    byte[] form =
        parameters.entrySet().stream()
            .map(entry -> encoded(entry.getKey()) + "=" + encoded(text(entry.getValue())))
            .collect(Collectors.joining("&"))
            .getBytes(StandardCharsets.UTF_8);
    PluginHttp.Answer answer =
        context
            .http()
            .send(
                new PluginHttp.Request(
                    "POST",
                    baseUrl + "/" + method,
                    Map.of(
                        "authorization",
                        "Bearer " + token,
                        "content-type",
                        "application/x-www-form-urlencoded; charset=utf-8"),
                    form,
                    timeout,
                    BYTES_MAX,
                    false));
    return SlackAnswer.of(
        new JsonAnswer(answer.status(), answer.headers(), answer.body()), context.now());
  }

  private static String text(Object value) {
    return value instanceof Map<?, ?> || value instanceof List<?>
        ? JsonText.write(value)
        : value.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Fetches a file; the token goes with it. */
  PluginHttp.Answer file(String url, int bytesMax, Duration timeout)
      throws CallFailedException, InterruptedException {
    return context
        .http()
        .download(
            new PluginHttp.Request(
                "GET",
                url,
                Map.of("authorization", "Bearer " + token),
                new byte[0],
                timeout,
                bytesMax,
                false));
  }

  String baseUrl() {
    return baseUrl;
  }
}
