package dev.holdfast.ingress.wire;

import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What an operation of the API answers.
 *
 * @param file sent in place of the body; null for all but downloads
 */
public record ApiAnswer(int status, JsonObject body, @Nullable Served file) {
  public ApiAnswer(int status, JsonObject body) {
    this(status, body, null);
  }

  /** A file of ours. {@code isImage}: whether a browser may show it. */
  public record Served(Path file, String mediaType, boolean isImage) {}

  public static ApiAnswer ok(JsonObject body) {
    return new ApiAnswer(200, body);
  }

  public static ApiAnswer file(Served file) {
    return new ApiAnswer(200, new JsonObject(), file);
  }
}
