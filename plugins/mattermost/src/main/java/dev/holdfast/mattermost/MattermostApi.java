package dev.holdfast.mattermost;

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
 * The REST API of one server, with the token of one bot. Each request is sent once, and each status
 * is an answer. Blocks the calling thread. Thread-safe.
 */
final class MattermostApi {
  private static final int BYTES_MAX = 16 * 1024 * 1024;
  private static final byte[] NOTHING = new byte[0];

  private final PluginContext context;
  private final String baseUrl;
  private final String token;

  MattermostApi(PluginContext context, MattermostAccount account) {
    this.context = context;
    this.baseUrl = account.url() + "/api/v4";
    this.token = account.token();
  }

  /**
   * @param path after {@code /api/v4}, with its query
   * @param timeout for everything, from 1 s
   */
  MattermostAnswer get(String path, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(send("GET", path, "", NOTHING, timeout));
  }

  MattermostAnswer post(String path, Object body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(send("POST", path, "application/json", bytes(body), timeout));
  }

  MattermostAnswer put(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(send("PUT", path, "application/json", bytes(body), timeout));
  }

  MattermostAnswer delete(String path, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(send("DELETE", path, "", NOTHING, timeout));
  }

  MattermostAnswer upload(String path, MultipartForm form, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(send("POST", path, form.contentType(), form.bytes(), timeout));
  }

  /** Fetches a file as it is. */
  PluginHttp.Answer content(String path, int bytesMax, Duration timeout)
      throws CallFailedException, InterruptedException {
    return context.http().download(request("GET", path, "", NOTHING, timeout, bytesMax));
  }

  private static byte[] bytes(Object body) {
    return JsonText.write(body).getBytes(StandardCharsets.UTF_8);
  }

  private MattermostAnswer answer(PluginHttp.Answer answer) {
    return MattermostAnswer.of(answer, context.now());
  }

  private PluginHttp.Answer send(
      String method, String path, String contentType, byte[] body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return context.http().send(request(method, path, contentType, body, timeout, BYTES_MAX));
  }

  private PluginHttp.Request request(
      String method, String path, String contentType, byte[] body, Duration timeout, int bytesMax) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("authorization", "Bearer " + token);
    if (!contentType.isEmpty()) {
      headers.put("content-type", contentType);
    }
    return new PluginHttp.Request(method, baseUrl + path, headers, body, timeout, bytesMax, false);
  }
}
