package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.MultipartForm;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Posts replies of one account: in the place of a slash command's first answer, of a draft, or as a
 * new message. Blocks the calling thread. Thread-safe.
 */
final class DiscordPosts {
  private static final Duration POST_MAX = Duration.ofSeconds(30);
  private static final Duration UPLOAD_MAX = Duration.ofMinutes(2);
  private static final Duration SETTLE_MAX = Duration.ofSeconds(4);

  /** An interaction that is answered at once may not be there yet. */
  private static final Duration YOUNG = Duration.ofSeconds(10);

  private static final Duration YOUNG_WAIT = Duration.ofSeconds(1);
  private static final int YOUNG_TRIES = 4;
  private static final int FILES_MAX = 10;

  /** The platform's id of a message that stands in the history. */
  private static final Pattern MESSAGE = Pattern.compile("[0-9]{1,20}:([0-9]{1,20})");

  private final DiscordBot bot;
  private final DiscordDrafts drafts;
  private final OpenInteractions interactions;
  private final SentPosts sent;

  /** Each holds the files of a reply in memory. */
  private final Semaphore uploads;

  DiscordPosts(
      DiscordBot bot,
      DiscordDrafts drafts,
      OpenInteractions interactions,
      SentPosts sent,
      Semaphore uploads) {
    this.bot = bot;
    this.drafts = drafts;
    this.interactions = interactions;
    this.sent = sent;
    this.uploads = uploads;
  }

  /** The message that a reply refers to; empty when it is none. */
  static String answered(String inReplyTo) {
    Matcher message = MESSAGE.matcher(inReplyTo);
    return message.matches() ? message.group(1) : "";
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    PostOutcome outcome;
    try {
      outcome = place(reply);
    } catch (CallFailedException e) {
      outcome = HttpOutcome.of(e);
    }
    if (outcome instanceof PostOutcome.Sent(String id) && !id.isEmpty()) {
      sent.sent(reply.id(), id);
      bot.messages().posted(id);
      if (reply.part() == reply.parts() && reply.choices().isEmpty()) { // else it is a question
        interactions.answered(bot.name(), reply.inReplyTo());
      }
      if (!reply.choices().isEmpty() && Deferred.isPrivate(reply.inReplyTo())) {
        interactions.asked(bot.name(), reply, id);
      }
    }
    return outcome;
  }

  private PostOutcome place(OutboundReply reply) throws CallFailedException, InterruptedException {
    Optional<OpenInteractions.Open> open = interactions.claim(bot.name(), reply);
    if (open.isPresent() && (open.get().isOf(reply) || open.get().deferred().isPrivate())) {
      Optional<PostOutcome> outcome =
          open.get().isOf(reply) ? answer(open.get(), reply) : followUp(open.get(), reply);
      if (outcome.isPresent()) {
        return outcome.get();
      }
    }
    if (Deferred.isPrivate(reply.inReplyTo())) {
      return tooLate();
    }
    // A draft is as long as one post: the first part takes its place.
    boolean mayHaveDraft = reply.part() == 1 && !reply.eventId().isEmpty();
    Optional<DraftMessages.Shown> draft =
        mayHaveDraft ? drafts.finish(reply.eventId()) : Optional.empty();
    return draft.isPresent() ? replace(draft.get(), reply) : fresh(reply);
  }

  /** What was for one person alone is not posted for all to see. */
  private static PostOutcome tooLate() {
    return new PostOutcome.NotDelivered(
        Failure.of(
            FailureCode.INVALID_REQUEST,
            "the answer is for one person alone, and Discord takes none any more for a slash"
                + " command that is older than 14 min: the person has to ask again, or to be named"
                + " in allow.users, then it is posted for all to see"));
  }

  /** No draft is shown beside it, also not when more of its turn follows. */
  private void finish(OutboundReply reply) throws InterruptedException {
    if (!reply.eventId().isEmpty()) {
      drafts
          .finish(reply.eventId())
          .filter(draft -> !draft.isFinal()) // else another reply may stand there
          .ifPresent(drafts::release); // to be taken away
    }
  }

  /** Empty when the interaction is over. */
  private Optional<PostOutcome> answer(OpenInteractions.Open open, OutboundReply reply)
      throws CallFailedException, InterruptedException {
    finish(reply);
    Map<String, Object> message = DiscordMarkup.message(reply.text(), reply.choices());
    DiscordAnswer answer = send("PATCH", open.deferred().original(), reply, message);
    for (int tries = 1; answer.isGone() && tries < YOUNG_TRIES && isYoung(open.at()); tries++) {
      bot.context().sleep(YOUNG_WAIT);
      answer = send("PATCH", open.deferred().original(), reply, message);
    }
    return outcome(answer, open.deferred(), reply);
  }

  private boolean isYoung(Instant at) {
    return Duration.between(at, bot.context().now()).abs().compareTo(YOUNG) < 0;
  }

  /** What is for one person alone stays so in all its parts. */
  private Optional<PostOutcome> followUp(OpenInteractions.Open open, OutboundReply reply)
      throws CallFailedException, InterruptedException {
    finish(reply);
    Map<String, Object> message = DiscordMarkup.message(reply.text(), reply.choices());
    message.put("flags", DiscordBot.EPHEMERAL | DiscordMarkup.NO_EMBEDS);
    return outcome(send("POST", open.deferred().path(), reply, message), open.deferred(), reply);
  }

  private Optional<PostOutcome> outcome(
      DiscordAnswer answer, Deferred deferred, OutboundReply reply) {
    if (answer.isGone()) {
      interactions.end(bot.name(), deferred);
      return Optional.empty();
    }
    return Optional.of(answer.outcome(reply.thread()));
  }

  private static Map<String, Object> editOf(OutboundReply reply) {
    return DiscordMarkup.edit(reply.text(), reply.choices());
  }

  private PostOutcome fresh(OutboundReply reply) throws CallFailedException, InterruptedException {
    Map<String, Object> message = DiscordMarkup.message(reply.text(), reply.choices());
    message.put("nonce", SentPosts.nonce(reply.id()));
    message.put("enforce_nonce", true);
    String answered = answered(reply.inReplyTo());
    if (reply.part() == 1 && !answered.isEmpty() && bot.channels().isInServer(reply.thread())) {
      message.put("message_reference", Map.of("message_id", answered, "fail_if_not_exists", false));
    }
    String path = "/channels/" + reply.thread() + "/messages";
    return send("POST", path, reply, message).outcome(reply.thread());
  }

  /** An edit that comes twice changes nothing, so its outcome need not be known. */
  private PostOutcome replace(DraftMessages.Shown draft, OutboundReply reply)
      throws CallFailedException, InterruptedException {
    String id = draft.text(DiscordDrafts.MESSAGE);
    String path = "/channels/" + reply.thread() + "/messages/" + id;
    DiscordAnswer answer = send("PATCH", path, reply, editOf(reply));
    if (answer.code() == DiscordAnswer.UNKNOWN_MESSAGE) { // somebody has deleted it
      drafts.forget(reply.eventId());
      return fresh(reply);
    }
    if (answer.code() == DiscordAnswer.ARCHIVED) {
      drafts.forget(reply.eventId());
      PostOutcome outcome = fresh(reply); // that opens the thread again
      if (outcome instanceof PostOutcome.Sent && !draft.isFinal() && !drafts.delete(draft)) {
        drafts.release(draft); // to be taken away later
      }
      return outcome;
    }
    PostOutcome outcome = answer.edited(reply.thread(), id);
    if (outcome instanceof PostOutcome.Sent) {
      drafts.forget(reply.eventId());
    }
    if (outcome instanceof PostOutcome.NotDelivered && !reply.resend() && !draft.isFinal()) {
      drafts.release(draft); // else it would stay for good when no other try is made
    }
    return outcome;
  }

  private DiscordAnswer send(
      String method, String path, OutboundReply reply, Map<String, Object> message)
      throws CallFailedException, InterruptedException {
    if (reply.files().isEmpty()) {
      return method.equals("POST")
          ? bot.api().post(path, message, POST_MAX)
          : bot.api().patch(path, message, POST_MAX);
    }
    uploads.acquire();
    try {
      DiscordAnswer answer = bot.api().form(method, path, form(reply.files(), message), UPLOAD_MAX);
      boolean isTooLarge = answer.status() == 413 || answer.code() == 40005;
      return isTooLarge ? withoutFiles(method, path, message) : answer;
    } finally {
      uploads.release();
    }
  }

  private DiscordAnswer withoutFiles(String method, String path, Map<String, Object> message)
      throws CallFailedException, InterruptedException {
    Map<String, Object> told = new LinkedHashMap<>(message);
    String note = "-# The files could not be attached: Discord takes no files of this size.";
    String text = message.get("content") + "\n" + note;
    told.put("content", text.length() <= DiscordMarkup.CONTENT_MAX ? text.strip() : note);
    return method.equals("POST")
        ? bot.api().post(path, told, POST_MAX)
        : bot.api().patch(path, told, POST_MAX);
  }

  private static MultipartForm form(List<StoredFile> files, Map<String, Object> message)
      throws CallFailedException {
    List<Object> names = new ArrayList<>();
    List<StoredFile> sent = files.subList(0, Math.min(files.size(), FILES_MAX));
    for (StoredFile file : sent) {
      names.add(Map.of("id", Integer.toString(names.size()), "filename", file.name()));
    }
    Map<String, Object> payload = new LinkedHashMap<>(message);
    payload.put("attachments", names);
    MultipartForm form = new MultipartForm().field("payload_json", JsonText.write(payload));
    int number = 0;
    for (StoredFile file : sent) {
      String type = file.mediaType().isBlank() ? "application/octet-stream" : file.mediaType();
      try {
        form.file("files[" + number++ + "]", file.name(), type, Files.readAllBytes(file.file()));
      } catch (IOException e) {
        throw new CallFailedException(
            Failure.of(
                    FailureCode.INVALID_REQUEST, "the file \"" + file.name() + "\" cannot be read")
                .unsent(),
            e);
      }
    }
    return form;
  }

  /** Takes the buttons of a post away. What is gone, or out of reach for good, is left alone. */
  void settle(SettledPost post) throws CallFailedException, InterruptedException {
    Optional<String> question = interactions.question(bot.name(), post.thread(), post.platformId());
    boolean isPrivate = question.isPresent(); // its interaction edits it, and names another id
    String path = question.orElse("/channels/" + post.thread() + "/messages/" + post.platformId());
    DiscordAnswer answer =
        bot.api().patch(path, DiscordMarkup.edit(post.text(), List.of()), SETTLE_MAX);
    boolean isOver =
        answer.isGone()
            || (answer.isOk() && (isPrivate || answer.isMessage(post.thread(), post.platformId())));
    if (!isOver && (answer.isOk() || answer.failure().kind() != FailureKind.INVALID)) {
      throw new CallFailedException(answer.failure());
    }
  }
}
