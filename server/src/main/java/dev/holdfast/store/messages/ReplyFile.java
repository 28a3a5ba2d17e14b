package dev.holdfast.store.messages;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.store.threads.AttachmentFolder;
import java.util.List;

/**
 * A file that goes with a reply, by reference.
 *
 * @param name for people; never a path
 * @param file its name in the thread's {@link AttachmentFolder}
 */
public record ReplyFile(String name, String mediaType, String file, long bytes) {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  /** As {@link NewReply#files} holds them; empty for none. */
  public static String write(List<ReplyFile> files) {
    try {
      return files.isEmpty() ? "" : JSON.writeValueAsString(files);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and numbers are always JSON", e);
    }
  }

  /**
   * @throws IllegalArgumentException when it was not written by {@link #write}: a bug, since rows
   *     are checked
   */
  public static List<ReplyFile> read(String json) {
    try {
      return json.isEmpty() ? List.of() : JSON.readValue(json, new TypeReference<>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a list of files: " + e.getOriginalMessage(), e);
    }
  }
}
