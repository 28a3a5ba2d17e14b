package dev.holdfast.whatsapp;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.PostPieces;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Posts the replies of one account. Blocks the calling thread. Thread-safe. */
final class WhatsAppPosts {
  /** WhatsApp tells it again with whatever becomes of the message. */
  private static final String OWN_DATA = "biz_opaque_callback_data";

  private static final int OWN_DATA_MAX = 512;
  private static final Pattern MESSAGE = Pattern.compile("wamid\\.[!-~]{1,500}");
  private static final String ASKS = "May I?";

  private final BusinessNumber number;
  private final MediaUploads uploads;
  private final PostPieces pieces;

  WhatsAppPosts(BusinessNumber number, MediaUploads uploads, PostPieces pieces) {
    this.number = number;
    this.uploads = uploads;
    this.pieces = pieces;
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    PostOutcome outcome = pieces.post(reply.id(), parts(reply));
    if (outcome instanceof PostOutcome.NotDelivered(Failure failure)
        && failure.code() == FailureCode.AUTH) {
      number
          .context()
          .logger()
          .log(Level.WARNING, "account {0}: {1}", number.name(), failure.summary());
    }
    return outcome;
  }

  private List<PostPieces.Piece> parts(OutboundReply reply) {
    List<PostPieces.Piece> parts = new ArrayList<>();
    String text =
        reply.text().isBlank() ? "" : WhatsAppText.rendered(reply.text(), number.context());
    boolean fitsButtons = text.length() <= WhatsAppText.BUTTONS_UNITS_MAX;
    if (!text.isEmpty() && (reply.choices().isEmpty() || !fitsButtons)) {
      parts.add(() -> postText(reply, text));
    }
    if (!reply.choices().isEmpty()) {
      String asks = text.isEmpty() || !fitsButtons ? ASKS : text;
      parts.add(() -> postButtons(reply, asks));
    }
    for (StoredFile file : reply.files()) {
      parts.add(() -> uploads.post(file, message(reply)));
    }
    return parts; // mostly one: WhatsApp takes one file in each message
  }

  /** To be added to. */
  private static Map<String, Object> message(OutboundReply reply) {
    Map<String, Object> message = BusinessNumber.to(reply.thread());
    if (reply.id().length() <= OWN_DATA_MAX) {
      message.put(OWN_DATA, reply.id());
    }
    return message;
  }

  private PostOutcome postText(OutboundReply reply, String text)
      throws CallFailedException, InterruptedException {
    Map<String, Object> message = message(reply);
    if (reply.part() == 1 && MESSAGE.matcher(reply.inReplyTo()).matches()) {
      message.put("context", Map.of("message_id", reply.inReplyTo()));
    }
    WhatsAppText.into(message, text);
    return number.send(message).outcome();
  }

  private PostOutcome postButtons(OutboundReply reply, String text)
      throws CallFailedException, InterruptedException {
    Map<String, Object> message = message(reply);
    WhatsAppText.into(message, text, reply.choices());
    return number.send(message).outcome();
  }

  /**
   * WhatsApp has no history, but tells of each message what becomes of it. When it has told nothing
   * a minute later, nobody knows.
   */
  FindOutcome find(OutboundReply reply) {
    Optional<BusinessNumber.Fate> fate =
        parts(reply).size() == 1 ? number.fateOf(reply.id()) : Optional.empty();
    return fate.map(WhatsAppPosts::found)
        .orElseGet(
            () ->
                new FindOutcome.Failed(
                    Failure.of(
                        FailureCode.INVALID_REQUEST,
                        "WhatsApp has no history, and has told nothing of this message")));
  }

  /** There is no use in looking again for what has failed. */
  private static FindOutcome found(BusinessNumber.Fate fate) {
    Optional<Failure> failure = fate.failure();
    if (failure.isEmpty()) {
      return new FindOutcome.Found(fate.post());
    }
    return failure.get().isPassing()
        ? new FindOutcome.Absent()
        : new FindOutcome.Failed(failure.get());
  }
}
