package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Posts replies of one account and finds them again: each has its id in its metadata, which people
 * do not see. Blocks the calling thread. Thread-safe.
 */
final class SlackPosts {
  private static final String REPLY = "holdfast_reply";
  private static final String METADATA = "metadata";
  private static final String REPLY_ID = "reply_id";
  private static final Duration POST_MAX = Duration.ofSeconds(30);
  private static final Duration LOOK_MAX = Duration.ofSeconds(5);
  private static final int PAGE = 100;
  private static final int PAGES_MAX = 10;

  /** The end of the platform's id of a message, which is the time at which it was written. */
  private static final Pattern WRITTEN_AT = Pattern.compile(":([0-9]{1,20}\\.[0-9]{1,20})$");

  private final SlackBot bot;
  private final SlackDrafts drafts;
  private final SlackUploads uploads;

  SlackPosts(SlackBot bot, SlackDrafts drafts, SlackUploads uploads) {
    this.bot = bot;
    this.drafts = drafts;
    this.uploads = uploads;
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    SlackPlace to = SlackPlace.ofThread(reply.thread());
    Optional<Failure> wait = drafts.waitAsked(to);
    if (wait.isPresent()) {
      return new PostOutcome.NotDelivered(wait.get());
    }
    try {
      return switch (uploads.share(reply, to)) {
        case SlackUploads.Shared(String note) -> post(reply, to, withNote(reply.text(), note));
        case SlackUploads.NotShared(PostOutcome outcome) -> outcome;
      };
    } catch (CallFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private static String withNote(String text, String note) {
    return note.isEmpty() ? text : (text + "\n\n" + note).strip();
  }

  private PostOutcome post(OutboundReply reply, SlackPlace to, String text)
      throws CallFailedException, InterruptedException {
    // A draft is as long as one post: the first part takes its place.
    boolean mayHaveDraft = reply.part() == 1 && !reply.eventId().isEmpty();
    Optional<SlackDraft> draft = mayHaveDraft ? drafts.finish(reply.eventId()) : Optional.empty();
    if (text.isBlank()) { // the files were all
      if (draft.isPresent()) {
        takeAway(draft.get(), reply);
      }
      return new PostOutcome.Sent("");
    }
    return draft.isPresent() ? replace(draft.get(), reply, to, text) : fresh(reply, to, text);
  }

  private PostOutcome fresh(OutboundReply reply, SlackPlace to, String text)
      throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = to.parameters();
    SlackMarkup.into(parameters, text, reply.choices(), bot.context());
    parameters.put(METADATA, metadata(reply));
    parameters.put("unfurl_links", false);
    parameters.put("unfurl_media", false);
    return noted(bot.api().call("chat.postMessage", parameters, POST_MAX).outcome(), to);
  }

  private static Map<String, Object> metadata(OutboundReply reply) {
    return Map.of("event_type", REPLY, "event_payload", Map.of(REPLY_ID, reply.id()));
  }

  private PostOutcome noted(PostOutcome outcome, SlackPlace to) {
    if (outcome instanceof PostOutcome.Sent(String ts) && !ts.isEmpty()) {
      bot.talk().posted(to, ts);
    }
    return outcome;
  }

  /** An edit that comes twice changes nothing, so its outcome need not be known. */
  private PostOutcome replace(SlackDraft draft, OutboundReply reply, SlackPlace to, String text)
      throws CallFailedException, InterruptedException {
    drafts.endStream(draft);
    Map<String, Object> parameters = to.message(draft.ts());
    SlackMarkup.intoEdit(parameters, text, reply.choices(), bot.context());
    parameters.put(METADATA, metadata(reply));
    PostOutcome outcome = bot.api().call("chat.update", parameters, POST_MAX).edited(draft.ts());
    if (outcome instanceof PostOutcome.NotDelivered(Failure failure)
        && failure.kind() == FailureKind.INVALID) {
      // Somebody has deleted it, or Slack edits no such message: it was not delivered for sure.
      takeAway(draft, reply);
      return fresh(reply, to, text);
    }
    if (outcome instanceof PostOutcome.Sent) {
      drafts.forget(reply.eventId());
      return noted(new PostOutcome.Sent(draft.ts()), to);
    }
    if (outcome instanceof PostOutcome.NotDelivered) {
      drafts.refused(draft, reply);
    }
    return outcome;
  }

  private void takeAway(SlackDraft draft, OutboundReply reply) throws InterruptedException {
    boolean _ = drafts.delete(draft);
    drafts.forget(reply.eventId());
  }

  /** Looks through what was written since the message that the reply answers. */
  FindOutcome find(OutboundReply reply) throws InterruptedException {
    if (reply.text().isBlank() && !reply.files().isEmpty()) {
      return uploads.find(reply);
    }
    SlackPlace at = SlackPlace.ofThread(reply.thread());
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("channel", at.channel());
    if (!at.threadTs().isEmpty()) {
      parameters.put("ts", at.threadTs());
    }
    Matcher written = WRITTEN_AT.matcher(reply.inReplyTo());
    if (written.find()) {
      parameters.put("oldest", written.group(1));
    }
    parameters.put("limit", PAGE);
    parameters.put("include_all_metadata", true);
    String method = at.threadTs().isEmpty() ? "conversations.history" : "conversations.replies";
    try {
      return find(reply, method, parameters, bot.identity(LOOK_MAX));
    } catch (CallFailedException e) {
      return new FindOutcome.Failed(e.failure());
    }
  }

  private FindOutcome find(
      OutboundReply reply, String method, Map<String, Object> parameters, SlackIdentity me)
      throws CallFailedException, InterruptedException {
    for (int page = 1; page <= PAGES_MAX; page++) {
      Map<String, Object> body = bot.api().call(method, parameters, LOOK_MAX).orThrow();
      for (Map<String, Object> message : JsonText.maps(body, "messages")) {
        if (isReply(message, reply.id(), me)) {
          return new FindOutcome.Found(JsonText.text(message, "ts"));
        }
      }
      String cursor = JsonText.text(JsonText.map(body, "response_metadata"), "next_cursor");
      if (cursor.isEmpty()) {
        return JsonText.flag(body, "has_more") ? tooMuch() : new FindOutcome.Absent();
      }
      parameters.put("cursor", cursor);
    }
    return tooMuch();
  }

  private static FindOutcome tooMuch() {
    return new FindOutcome.Failed(
        Failure.of(
            FailureCode.INVALID_REQUEST,
            "too much was written since then to look through all of it"));
  }

  private static boolean isReply(Map<String, Object> message, String id, SlackIdentity me) {
    Map<String, Object> metadata = JsonText.map(message, METADATA);
    boolean isOwn =
        JsonText.text(message, "user").equals(me.user())
            || (!me.bot().isEmpty() && JsonText.text(message, "bot_id").equals(me.bot()));
    return isOwn
        && JsonText.text(metadata, "event_type").equals(REPLY)
        && JsonText.text(JsonText.map(metadata, "event_payload"), REPLY_ID).equals(id);
  }

  /** Takes the buttons of a post away. */
  void settle(SettledPost post) throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = SlackPlace.ofThread(post.thread()).message(post.platformId());
    SlackMarkup.intoEdit(parameters, post.text(), List.of(), bot.context());
    SlackAnswer answer = bot.api().call("chat.update", parameters, Duration.ofSeconds(4));
    if (!answer.isOk() && answer.failure().kind() != FailureKind.INVALID) {
      throw new CallFailedException(answer.failure());
    }
  }
}
