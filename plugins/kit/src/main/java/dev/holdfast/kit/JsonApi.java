package dev.holdfast.kit;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginHttp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An HTTP API that takes and gives JSON. Each request is sent once, and each status is an answer:
 * whether to try again is the server's decision. Blocks the calling thread. Thread-safe.
 */
public final class JsonApi {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  private final PluginHttp http;
  private final String baseUrl;
  private final Map<String, String> headers;

  /**
   * @param baseUrl without a slash at its end
   * @param headers that go with every request, for example {@code Authorization}
   */
  public JsonApi(PluginHttp http, String baseUrl, Map<String, String> headers) {
    this.http = http;
    this.baseUrl = baseUrl;
    this.headers = Map.copyOf(headers);
  }

  /** Sends an object; waits 30 s for the answer. */
  public JsonAnswer post(String path, Map<String, ?> body)
      throws CallFailedException, InterruptedException {
    return post(path, body, TIMEOUT);
  }

  /**
   * Sends an object.
   *
   * @param timeout for everything, from 1 s to 10 min
   */
  public JsonAnswer post(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    byte[] bytes = JsonText.write(body).getBytes(StandardCharsets.UTF_8);
    return post(path, "application/json", bytes, timeout);
  }

  /** Sends a form, mostly with a file. */
  public JsonAnswer post(String path, MultipartForm form, Duration timeout)
      throws CallFailedException, InterruptedException {
    return post(path, form.contentType(), form.bytes(), timeout);
  }

  /**
   * Fetches something.
   *
   * @param bytesMax at most 16 MiB; a longer answer is a failure
   */
  public JsonAnswer get(String path, Duration timeout, int bytesMax)
      throws CallFailedException, InterruptedException {
    return answer(http.send(request("GET", path, "", new byte[0], timeout, bytesMax)));
  }

  /**
   * Fetches a file, or what says where one is: when that fails, no other call is held back.
   *
   * @param bytesMax at most 16 MiB; a longer answer is a failure
   */
  public JsonAnswer download(String path, Duration timeout, int bytesMax)
      throws CallFailedException, InterruptedException {
    return answer(http.download(request("GET", path, "", new byte[0], timeout, bytesMax)));
  }

  private JsonAnswer post(String path, String contentType, byte[] body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(http.send(request("POST", path, contentType, body, timeout, BYTES_MAX)));
  }

  private PluginHttp.Request request(
      String method, String path, String contentType, byte[] body, Duration timeout, int bytesMax) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    if (!contentType.isEmpty()) {
      all.put("content-type", contentType);
    }
    return new PluginHttp.Request(method, baseUrl + path, all, body, timeout, bytesMax, false);
  }

  private static JsonAnswer answer(PluginHttp.Answer answer) {
    return new JsonAnswer(answer.status(), answer.headers(), answer.body());
  }
}
