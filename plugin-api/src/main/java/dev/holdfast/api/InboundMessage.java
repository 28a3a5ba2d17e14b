package dev.holdfast.api;

import java.util.List;
import java.util.Objects;

/**
 * One message from a chat platform, verified and parsed. What exceeds a limit is refused when the
 * server takes it in: account, thread, sender and key have no control characters, no half of a
 * surrogate pair and at most 2,000 UTF-16 units each, the thread also at most 1,000 bytes of UTF-8.
 *
 * @param account the account of the channel that it came in on
 * @param thread the platform's id of the conversation; any text, it never becomes a path
 * @param sender the platform's stable id of the person
 * @param text at most 1,048,576 UTF-16 units; may be empty when there are attachments; half of a
 *     surrogate pair is replaced by U+FFFD
 * @param attachments at most 100, whose name, type and address have at most 8,192 units each
 * @param dedupeKey the platform's id of the event, from the verified payload: the same for each
 *     redelivery
 * @param origin where it was written
 */
public record InboundMessage(
    String account,
    String thread,
    String sender,
    String text,
    List<Attachment> attachments,
    String dedupeKey,
    Origin origin) {

  /** Of a conversation with one person of whom no more is known. */
  public InboundMessage(
      String account,
      String thread,
      String sender,
      String text,
      List<Attachment> attachments,
      String dedupeKey) {
    this(account, thread, sender, text, attachments, dedupeKey, Origin.direct());
  }

  public InboundMessage {
    Objects.requireNonNull(account, "account");
    Objects.requireNonNull(thread, "thread");
    Objects.requireNonNull(sender, "sender");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(dedupeKey, "dedupeKey");
    Objects.requireNonNull(origin, "origin");
    attachments = List.copyOf(attachments);
  }
}
