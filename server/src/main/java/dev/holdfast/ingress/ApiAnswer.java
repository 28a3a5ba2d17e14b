package dev.holdfast.ingress;

import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What an operation of the API answers.
 *
 * @param file sent in place of the body; null for all but downloads
 */
record ApiAnswer(int status, JsonObject body, @Nullable Served file) {
  ApiAnswer(int status, JsonObject body) {
    this(status, body, null);
  }

  /** A file of ours. {@code isImage}: whether a browser may show it. */
  record Served(Path file, String mediaType, boolean isImage) {}

  static ApiAnswer ok(JsonObject body) {
    return new ApiAnswer(200, body);
  }

  static ApiAnswer file(Served file) {
    return new ApiAnswer(200, new JsonObject(), file);
  }
}
