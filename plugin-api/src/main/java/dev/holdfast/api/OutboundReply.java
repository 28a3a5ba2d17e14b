package dev.holdfast.api;

import java.util.List;
import java.util.Objects;

/**
 * One part of a reply to post.
 *
 * @param id stable over every try of this part: the idempotency key where the platform has one
 * @param eventId our id of the event that it answers; empty for a sentence that answers none, for
 *     example to a person who is not let in
 * @param inReplyTo the platform's id of that event, or of what the sentence is about; may be empty
 * @param part from 1 to {@code parts}
 * @param resend whether an earlier try of this part may have reached the platform
 * @param files that go with this part, mostly none; they are there when it is posted
 * @param choices buttons to put under it; none for a channel that does not {@link
 *     ChannelAdapter#showsChoices show} them
 * @param kind what the reply is, for whoever reads it and is no person
 */
public record OutboundReply(
    String id,
    String eventId,
    String account,
    String thread,
    String inReplyTo,
    String text,
    int part,
    int parts,
    boolean resend,
    List<StoredFile> files,
    List<Choice> choices,
    Kind kind) {

  /** What a reply is to the message that it is about. */
  public enum Kind {
    /** The answer, or a text that no message has asked for. */
    ANSWER,
    /** Something that is said meanwhile. */
    NOTICE,
    /** Something that must be answered before the turn goes on. */
    QUESTION,
    /** Why there will be no answer. */
    ERROR
  }

  public OutboundReply {
    Objects.requireNonNull(kind, "kind");
    files = List.copyOf(files);
    choices = List.copyOf(choices);
  }

  /** An answer. */
  public OutboundReply(
      String id,
      String eventId,
      String account,
      String thread,
      String inReplyTo,
      String text,
      int part,
      int parts,
      boolean resend,
      List<StoredFile> files,
      List<Choice> choices) {
    this(
        id,
        eventId,
        account,
        thread,
        inReplyTo,
        text,
        part,
        parts,
        resend,
        files,
        choices,
        Kind.ANSWER);
  }

  /** An answer without files. */
  public OutboundReply(
      String id,
      String eventId,
      String account,
      String thread,
      String inReplyTo,
      String text,
      int part,
      int parts,
      boolean resend) {
    this(id, eventId, account, thread, inReplyTo, text, part, parts, resend, List.of(), List.of());
  }
}
