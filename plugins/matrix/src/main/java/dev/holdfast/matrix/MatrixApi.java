package dev.holdfast.matrix;

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
 * The client-server API of one homeserver with one token. Each call is made once, and each status
 * is an answer. Blocks the calling thread. Thread-safe.
 *
 * <p>Source: spec.matrix.org, Client-Server API v1.11.
 */
final class MatrixApi {
  static final String CLIENT = "/_matrix/client/v3";
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  private final PluginContext context;
  private final String baseUrl;
  private final String token;

  /** {@code baseUrl}: without a slash at its end. */
  MatrixApi(PluginContext context, String baseUrl, String token) {
    this.context = context;
    this.baseUrl = baseUrl;
    this.token = token;
  }

  /** The path of something of a room. */
  static String room(String room, String rest) {
    return CLIENT + "/rooms/" + MatrixIds.encoded(room) + rest;
  }

  MatrixAnswer get(String path, Duration timeout) throws CallFailedException, InterruptedException {
    return MatrixAnswer.of(raw(path, timeout, BYTES_MAX), context.now());
  }

  /**
   * Fetches something that may be no JSON.
   *
   * @param bytesMax at most 16 MiB; a longer answer is a failure
   */
  JsonAnswer raw(String path, Duration timeout, int bytesMax)
      throws CallFailedException, InterruptedException {
    return send("GET", path, "", new byte[0], timeout, bytesMax);
  }

  MatrixAnswer post(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return json("POST", path, body, timeout);
  }

  MatrixAnswer put(String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    return json("PUT", path, body, timeout);
  }

  private MatrixAnswer json(String method, String path, Map<String, ?> body, Duration timeout)
      throws CallFailedException, InterruptedException {
    byte[] bytes = JsonText.write(body).getBytes(StandardCharsets.UTF_8);
    return MatrixAnswer.of(
        send(method, path, "application/json", bytes, timeout, BYTES_MAX), context.now());
  }

  /**
   * Sends an event to a room. A second one with the same transaction is the same event: its answer
   * is that of the first.
   *
   * @param transaction unique among all that the account sends, but for repeats
   */
  MatrixAnswer sendEvent(String room, String transaction, Map<String, ?> content, Duration timeout)
      throws CallFailedException, InterruptedException {
    return put(
        room(room, "/send/m.room.message/" + MatrixIds.encoded(transaction)), content, timeout);
  }

  MatrixAnswer sendEvent(String room, String transaction, Map<String, ?> content)
      throws CallFailedException, InterruptedException {
    return sendEvent(room, transaction, content, CALL_MAX);
  }

  /** Brings a file to the homeserver; nobody sees it before an event names it. */
  MatrixAnswer upload(String fileName, String mediaType, byte[] content, Duration timeout)
      throws CallFailedException, InterruptedException {
    JsonAnswer answer =
        send(
            "POST",
            "/_matrix/media/v3/upload?filename=" + MatrixIds.encoded(fileName),
            mediaType,
            content,
            timeout,
            BYTES_MAX);
    return MatrixAnswer.of(answer, context.now());
  }

  /** Fetches a file as it is. */
  JsonAnswer download(String path, Duration timeout, int bytesMax)
      throws CallFailedException, InterruptedException {
    PluginHttp.Request request = request("GET", path, "", new byte[0], timeout, bytesMax);
    return answer(context.http().download(request));
  }

  private JsonAnswer send(
      String method, String path, String contentType, byte[] body, Duration timeout, int bytesMax)
      throws CallFailedException, InterruptedException {
    PluginHttp.Request request = request(method, path, contentType, body, timeout, bytesMax);
    return answer(context.http().send(request));
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

  private static JsonAnswer answer(PluginHttp.Answer answer) {
    return new JsonAnswer(answer.status(), answer.headers(), answer.body());
  }
}
