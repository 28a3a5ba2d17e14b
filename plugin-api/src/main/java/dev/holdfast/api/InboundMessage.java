package dev.holdfast.api;

import java.util.List;
import java.util.Objects;

/**
 * One message from a chat platform, verified and parsed.
 *
 * @param account the account of the channel that it came in on
 * @param thread the platform's id of the conversation; any text, it never becomes a path
 * @param sender the platform's stable id of the person
 * @param text may be empty when there are attachments
 * @param dedupeKey the platform's id of the event, from the verified payload: the same for each
 *     redelivery
 */
public record InboundMessage(
    String account,
    String thread,
    String sender,
    String text,
    List<Attachment> attachments,
    String dedupeKey) {

  public InboundMessage {
    Objects.requireNonNull(account, "account");
    Objects.requireNonNull(thread, "thread");
    Objects.requireNonNull(sender, "sender");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(dedupeKey, "dedupeKey");
    attachments = List.copyOf(attachments);
  }
}
