package dev.holdfast.bus;

import io.vertx.core.json.JsonObject;
import java.time.Instant;

/**
 * Something that happened, for programs outside.
 *
 * @param id the same whenever the same thing is published again
 * @param subject where it is published, see {@link Subjects}
 * @param type dotted, as {@code holdfast.message.accepted}; documented with a schema each
 * @param threadId the chat thread; empty when it concerns none
 * @param data what happened: a JSON object, as the schema of the type says. A text, because it is
 *     written on the thread for which all others wait
 */
public record BusEvent(
    String id, String subject, String type, String threadId, Instant at, String data) {
  /** Of every event; which server it was, the stream tells. */
  private static final String SOURCE = "/holdfast";

  /**
   * In the JSON format of CloudEvents 1.0, structured mode.
   *
   * <p>Source: CloudEvents specification 1.0.2, JSON event format.
   */
  String json() {
    JsonObject event =
        new JsonObject()
            .put("specversion", "1.0")
            .put("id", id)
            .put("source", SOURCE)
            .put("type", type)
            .put("time", at.toString())
            .put("datacontenttype", "application/json");
    if (!threadId.isEmpty()) {
      event.put("subject", threadId);
    }
    String head = event.encode();
    return head.substring(0, head.length() - 1) + ",\"data\":" + data + "}";
  }
}
