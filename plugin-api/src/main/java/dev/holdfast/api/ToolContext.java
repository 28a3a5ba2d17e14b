package dev.holdfast.api;

import java.nio.file.Path;

/**
 * For whom and where a tool runs.
 *
 * @param threadId the chat thread
 * @param eventId the event whose turn calls
 * @param sender the platform's id of the person who wrote
 * @param callId unique within the thread
 * @param key the same for each run of this call: the idempotency key of a KEYED tool
 * @param scratch the thread's own folder; exists
 * @param progress hears what the tool does, in a few words, for people who watch
 */
public record ToolContext(
    String threadId,
    String eventId,
    String sender,
    String callId,
    String key,
    Path scratch,
    Progress progress) {

  /** Hears short labels. */
  public interface Progress {
    void doing(String label);

    /** It goes on, with nothing worth a label: bytes came, for example. */
    default void moved() {}

    Progress SILENT = label -> {};
  }
}
