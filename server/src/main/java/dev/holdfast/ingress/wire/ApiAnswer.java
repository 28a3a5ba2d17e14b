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
 * @param document sent in place of the body; null for all but exports
 */
public record ApiAnswer(
    int status,
    JsonObject body,
    @Nullable JsonArray list,
    @Nullable Served file,
    @Nullable Document document) {
  public ApiAnswer(int status, JsonObject body) {
    this(status, body, null, null, null);
  }

  /** A list without an object around it. */
  public static ApiAnswer list(JsonArray items) {
    return new ApiAnswer(200, new JsonObject(), items, null, null);
  }

  /** What is sent, unless it is a file. */
  public Buffer content() {
    if (document != null) {
      return Buffer.buffer(document.text());
    }
    return list == null ? body.toBuffer() : list.toBuffer();
  }

  /** A text to be saved under a name, which has plain characters only. */
  public record Document(String name, String mediaType, String text) {}

  /** A file of ours. {@code isImage}: whether a browser may show it. */
  public record Served(Path file, String mediaType, boolean isImage) {}

  public static ApiAnswer ok(JsonObject body) {
    return new ApiAnswer(200, body);
  }

  public static ApiAnswer file(Served file) {
    return new ApiAnswer(200, new JsonObject(), null, file, null);
  }

  public static ApiAnswer document(Document document) {
    return new ApiAnswer(200, new JsonObject(), null, null, document);
  }
}
