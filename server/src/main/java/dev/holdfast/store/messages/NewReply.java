package dev.holdfast.store.messages;

/**
 * A part of a reply to plan.
 *
 * @param id stable for ever: made of the event's id, a label and the part's number
 * @param source where it goes, {@code channel:account}
 * @param address what the channel needs to reach the conversation; opaque to the store
 * @param inReplyTo the sender's own id of the event
 * @param delivered whether it needs no posting, because its reader looks into the log by itself
 * @param files those that go with it, as JSON; empty for none. See {@link ReplyFile}
 * @param choices buttons to put under it, as JSON; empty for none, and once it was sent. See {@link
 *     ReplyChoices}
 */
public record NewReply(
    String id,
    String eventId,
    String source,
    String threadId,
    String address,
    String inReplyTo,
    String text,
    int part,
    int parts,
    boolean delivered,
    String files,
    String choices) {

  /** Without files and buttons. */
  public NewReply(
      String id,
      String eventId,
      String source,
      String threadId,
      String address,
      String inReplyTo,
      String text,
      int part,
      int parts,
      boolean delivered) {
    this(id, eventId, source, threadId, address, inReplyTo, text, part, parts, delivered, "", "");
  }

  NewReply withoutChoices() {
    return new NewReply(
        id, eventId, source, threadId, address, inReplyTo, text, part, parts, delivered, files, "");
  }
}
