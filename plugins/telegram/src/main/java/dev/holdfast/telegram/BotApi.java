package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonApi;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.MultipartForm;
import dev.holdfast.kit.WholeFile;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Bot API for one bot. The token stands in every address, which therefore never leaves this
 * class. Each call is made once; blocks the calling thread. Thread-safe.
 */
final class BotApi {
  private static final Duration CALL_MAX = Duration.ofSeconds(30);
  private static final Duration FILE_MAX = Duration.ofSeconds(100);

  /** What one answer of the server's client may have. */
  private static final int FILE_BYTES_MAX = 16 * 1024 * 1024;

  private static final Pattern FILE_PATH = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_./-]{0,500}");

  private final PluginContext context;
  private final String token;
  private final JsonApi api;
  private final JsonApi files;
  private volatile @Nullable BotIdentity identity;

  BotApi(PluginContext context, String baseUrl, String token) {
    this.context = context;
    this.token = token;
    this.api = new JsonApi(context.http(), baseUrl + "/bot" + token, Map.of());
    this.files = new JsonApi(context.http(), baseUrl + "/file/bot" + token, Map.of());
  }

  BotAnswer call(String method, Map<String, ?> parameters)
      throws CallFailedException, InterruptedException {
    return call(method, parameters, CALL_MAX);
  }

  BotAnswer call(String method, Map<String, ?> parameters, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(raw(method, parameters, timeout));
  }

  /** As it came, for what may be too much to be understood. */
  JsonAnswer raw(String method, Map<String, ?> parameters, Duration timeout)
      throws CallFailedException, InterruptedException {
    return api.post("/" + method, parameters, timeout);
  }

  BotAnswer answer(JsonAnswer raw) {
    return BotAnswer.of(raw, token, context.now());
  }

  BotAnswer upload(String method, MultipartForm form, Duration timeout)
      throws CallFailedException, InterruptedException {
    return answer(api.post("/" + method, form, timeout));
  }

  /** Who the bot is; asked once. */
  BotIdentity identity(Duration timeout) throws CallFailedException, InterruptedException {
    BotIdentity known = identity;
    if (known == null) {
      known = BotIdentity.of(call("getMe", Map.of(), timeout).orThrow());
      identity = known;
    }
    return known;
  }

  /**
   * Fetches a file of a message.
   *
   * @param told its size as the message tells it; -1 when it does not
   * @throws CallFailedException INVALID_REQUEST when it has more than {@code bytesMax} bytes, or
   *     more than Telegram or the server's client hand out; NETWORK when it was cut
   */
  byte[] file(String fileId, long told, long bytesMax)
      throws CallFailedException, InterruptedException {
    int most = (int) Math.min(bytesMax, FILE_BYTES_MAX);
    BotAnswer found = call("getFile", Map.of("file_id", fileId));
    if (found.says("too big")) {
      throw refused("Telegram gives bots no files of more than 20 MB");
    }
    Map<String, Object> file = found.orThrow();
    if (JsonText.whole(file, "file_size", 0) > most) {
      throw refused("it has more than " + most + " bytes");
    }
    String path = JsonText.text(file, "file_path");
    if (!FILE_PATH.matcher(path).matches() || path.contains("..")) {
      throw refused("Telegram names no address for it");
    }
    JsonAnswer content = files.download("/" + path, FILE_MAX, most);
    if (content.status() != 200) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "Telegram answered " + content.status() + " for it"));
    }
    return WholeFile.checked(content.raw(), JsonText.whole(file, "file_size", told));
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
