package dev.holdfast.ingress.wire;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What an operation of the API answers.
 *
 * @param list sent in place of the body; null for all but bare lists
 * @param file sent in place of the body; null for all but downloads
 */
public record ApiAnswer(
    int status, JsonObject body, @Nullable JsonArray list, @Nullable Served file) {
  public ApiAnswer(int status, JsonObject body) {
    this(status, body, null, null);
  }

  /** A list without an object around it. */
  public static ApiAnswer list(JsonArray items) {
    return new ApiAnswer(200, new JsonObject(), items, null);
  }

  /** What is sent, unless it is a file. */
  public Buffer json() {
    return list == null ? body.toBuffer() : list.toBuffer();
  }

  /** A file of ours. {@code isImage}: whether a browser may show it. */
  public record Served(Path file, String mediaType, boolean isImage) {}

  public static ApiAnswer ok(JsonObject body) {
    return new ApiAnswer(200, body);
  }

  public static ApiAnswer file(Served file) {
    return new ApiAnswer(200, new JsonObject(), null, file);
  }
}
