package dev.holdfast.agents.context;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.media.FileFacts;
import java.util.ArrayList;
import java.util.List;

/**
 * A file that came with a message, or an image that came with the result of a tool, as the context
 * remembers it.
 *
 * @param name as the sender called it, fit to be shown
 * @param file its name in the thread's attachments; empty when it was not had
 * @param width in pixels; 0 for what is no image that can be shown
 * @param path where tools find it, in the scratch folder; empty when it is not there
 * @param lost why it was not had; empty when it was
 */
public record StoredAttachment(
    String name,
    String mediaType,
    String file,
    long bytes,
    int width,
    int height,
    String path,
    String lost) {
  private static final String KEY = "attachments";

  /** What was kept under {@code file}. */
  static StoredAttachment kept(String name, FileFacts facts, String file, long bytes, String path) {
    boolean shows = facts.isShowable();
    return new StoredAttachment(
        name,
        facts.type().mediaType(),
        file,
        bytes,
        shows ? facts.width() : 0,
        shows ? facts.height() : 0,
        path,
        "");
  }

  static StoredAttachment lost(String name, String why) {
    return new StoredAttachment(name, "", "", 0, 0, 0, "", why);
  }

  /** Reads what {@link #write} has written into an entry. */
  static List<StoredAttachment> read(JsonNode entry) {
    List<StoredAttachment> all = new ArrayList<>();
    for (JsonNode one : entry.path(KEY)) {
      all.add(
          new StoredAttachment(
              one.path("name").asText(),
              one.path("media_type").asText(),
              one.path("file").asText(),
              one.path("bytes").asLong(),
              one.path("width").asInt(),
              one.path("height").asInt(),
              one.path("path").asText(),
              one.path("lost").asText()));
    }
    return all;
  }

  public static void write(ObjectNode entry, List<StoredAttachment> all) {
    if (all.isEmpty()) {
      return;
    }
    var list = entry.putArray(KEY);
    for (StoredAttachment one : all) {
      ObjectNode json = list.addObject().put("name", one.name);
      if (!one.lost.isEmpty()) {
        json.put("lost", one.lost);
        continue;
      }
      json.put("media_type", one.mediaType).put("file", one.file).put("bytes", one.bytes);
      if (one.isImage()) {
        json.put("width", one.width).put("height", one.height);
      }
      if (!one.path.isEmpty()) {
        json.put("path", one.path);
      }
    }
  }

  boolean isImage() {
    return width > 0;
  }

  /**
   * What a model reads of it.
   *
   * @param kind what it is called, such as {@code attachment}
   * @param shown whether it is shown, or why not; empty for other files
   */
  String line(String kind, String shown) {
    StringBuilder line =
        new StringBuilder("[").append(kind).append(" \"").append(name).append("\": ");
    if (!lost.isEmpty()) {
      return line.append("not available, ").append(lost).append(']').toString();
    }
    line.append(mediaType).append(", ");
    if (isImage()) {
      line.append(width).append('x').append(height).append(", ");
    }
    line.append(bytes).append(" bytes");
    if (!path.isEmpty()) {
      line.append(", file ").append(path);
    }
    return line.append(shown.isEmpty() ? "" : "; " + shown).append(']').toString();
  }
}
