package dev.holdfast.whatsapp;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonApi;
import dev.holdfast.kit.MultipartForm;
import dev.holdfast.kit.TokenHosts;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The Graph API with one token. Each call is made once; blocks the calling thread. Thread-safe. */
final class GraphApi {
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final int ANSWER_BYTES_MAX = 1024 * 1024;

  private final PluginContext context;
  private final TokenHosts hosts;
  private final Map<String, String> headers;
  private final JsonApi api;

  /**
   * @param baseUrl without a slash at its end
   * @param version such as {@code v24.0}
   */
  GraphApi(PluginContext context, String baseUrl, String version, String token) {
    this.context = context;
    this.hosts = new TokenHosts(baseUrl, List.of("fbsbx.com", "facebook.com"));
    this.headers = Map.of("authorization", "Bearer " + token, "user-agent", "Holdfast");
    this.api = new JsonApi(context.http(), baseUrl + "/" + version, headers);
  }

  GraphAnswer post(String path, Map<String, ?> body)
      throws CallFailedException, InterruptedException {
    return post(path, body, CALL_MAX);
  }

  GraphAnswer post(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return GraphAnswer.of(api.post(path, body, timeout), context.now());
  }

  GraphAnswer post(String path, MultipartForm form, Duration timeout)
      throws CallFailedException, InterruptedException {
    return GraphAnswer.of(api.post(path, form, timeout), context.now());
  }

  GraphAnswer get(String path, Duration timeout) throws CallFailedException, InterruptedException {
    return GraphAnswer.of(api.get(path, timeout, ANSWER_BYTES_MAX), context.now());
  }

  /** Asks where a file is. */
  GraphAnswer fileFacts(String path, Duration timeout)
      throws CallFailedException, InterruptedException {
    return GraphAnswer.of(api.download(path, timeout, ANSWER_BYTES_MAX), context.now());
  }

  /** Fetches the content of a file; the token goes with it. */
  PluginHttp.Answer file(String url, int bytesMax, Duration timeout)
      throws CallFailedException, InterruptedException {
    return context
        .http()
        .download(
            new PluginHttp.Request("GET", url, headers, new byte[0], timeout, bytesMax, false));
  }

  /** Whether an address is one of Meta, or of what stands in for it: nobody else gets the token. */
  boolean isMetas(String url) {
    return hosts.allow(url);
  }
}
