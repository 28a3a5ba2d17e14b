package dev.holdfast.nats;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Posts the answers of one account. Thread-safe. */
final class NatsPosts {
  static final String IN_REPLY_TO = "Holdfast-In-Reply-To";
  static final String PART = "Holdfast-Part";
  static final String SUBJECT = "Holdfast-Subject";
  static final String KIND = "Holdfast-Kind";

  private final NatsAccount account;
  private final ReplySubjects replies;
  private final ReplyPublisher publisher;

  NatsPosts(NatsAccount account, ReplySubjects replies, ReplyPublisher publisher) {
    this.account = account;
    this.replies = replies;
    this.publisher = publisher;
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    String subject;
    try {
      subject = replies.find(reply.inReplyTo()).orElse(account.replySubject());
    } catch (IOException _) {
      return new PostOutcome.NotDelivered(
          Failure.of(FailureCode.IO, "the file of reply subjects cannot be read").unsent());
    }
    if (subject.isEmpty()) {
      return new PostOutcome.NotDelivered(
          Failure.of(
              FailureCode.INVALID_REQUEST,
              "the message names no subject for its answer: set reply_subject, or send "
                  + MessageReader.REPLY));
    }
    if (!subject.equals(account.replySubject()) && !account.mayAnswerAt(subject)) {
      return new PostOutcome.NotDelivered(
          Failure.of(
              FailureCode.INVALID_REQUEST,
              subject
                  + ", which the message names for its answer, is not in reply_allow any more"));
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(MessageReader.MSG_ID, reply.id());
    headers.put(MessageReader.THREAD, thread(reply.thread()));
    if (!account.trustsHeaders()) {
      headers.put(SUBJECT, SubjectScope.subject(reply.thread()));
    }
    if (!reply.inReplyTo().isEmpty()) {
      headers.put(IN_REPLY_TO, SubjectScope.name(reply.inReplyTo()));
    }
    headers.put(KIND, kind(reply.kind()));
    headers.put(PART, reply.part() + "/" + reply.parts());
    StringBuilder text = new StringBuilder(reply.text());
    for (StoredFile file : reply.files()) {
      text.append(
          "\n\n[The file \"%s\" is not attached: NATS carries text.]".formatted(file.name()));
    }
    return publisher.publish(
        subject, headers, text.toString().strip().getBytes(StandardCharsets.UTF_8));
  }

  static String kind(OutboundReply.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** As the message had it in its header. */
  private String thread(String thread) {
    return account.trustsHeaders() ? thread : SubjectScope.name(thread);
  }
}
