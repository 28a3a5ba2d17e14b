package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Looks for replies whose answer was lost. Discord keeps no key of a post that people do not see,
 * so it is known by its nonce, if the Gateway has told it; else by its text, what it answers and
 * when it was written. Blocks the calling thread. Thread-safe.
 */
final class PostSearch {
  private static final Duration LOOK_MAX = Duration.ofSeconds(5);
  private static final int PAGE = 100;
  private static final int PAGES_MAX = 3;

  /** Its answer is not there yet. */
  private static final long LOADING = 1L << 7;

  /** The end of the platform's id of a message, which grows with time. */
  private static final Pattern SNOWFLAKE = Pattern.compile(":([0-9]{1,20})$");

  private static final Pattern BLANK = Pattern.compile("\\s+");

  private final DiscordBot bot;
  private final OpenInteractions interactions;
  private final SentPosts sent;

  PostSearch(DiscordBot bot, OpenInteractions interactions, SentPosts sent) {
    this.bot = bot;
    this.interactions = interactions;
    this.sent = sent;
  }

  FindOutcome find(OutboundReply reply) throws InterruptedException {
    Optional<String> heard = sent.heard(reply.id());
    if (heard.isPresent()) {
      return new FindOutcome.Found(heard.get());
    }
    try {
      Optional<OpenInteractions.Open> open = interactions.find(bot.name(), reply.inReplyTo());
      if (open.isPresent() && open.get().isFree(reply)) {
        return original(open.get(), reply);
      }
      return Deferred.isPrivate(reply.inReplyTo())
          ? tooMuch("nobody but the person sees it")
          : history(reply, bot.identity(LOOK_MAX));
    } catch (CallFailedException e) {
      return new FindOutcome.Failed(e.failure());
    }
  }

  private FindOutcome original(OpenInteractions.Open open, OutboundReply reply)
      throws CallFailedException, InterruptedException {
    DiscordAnswer answer = bot.api().get(open.deferred().original(), LOOK_MAX);
    if (answer.isGone()) {
      return new FindOutcome.Absent();
    }
    Map<String, Object> message = answer.orThrow();
    boolean isThere =
        (JsonText.whole(message, "flags", 0) & LOADING) == 0 && hasContent(message, reply);
    return isThere ? new FindOutcome.Found(JsonText.id(message, "id")) : new FindOutcome.Absent();
  }

  private FindOutcome history(OutboundReply reply, DiscordIdentity me)
      throws CallFailedException, InterruptedException {
    Matcher since = SNOWFLAKE.matcher(reply.inReplyTo());
    String after = since.find() ? since.group(1) : "";
    String path = "/channels/" + reply.thread() + "/messages?limit=" + PAGE;
    for (int page = 1; page <= PAGES_MAX; page++) {
      String from = after.isEmpty() ? path : path + "&after=" + after;
      DiscordAnswer answer = bot.api().get(from, LOOK_MAX);
      List<Map<String, Object>> messages = answer.listOrThrow();
      for (Map<String, Object> message : messages) {
        if (isReply(message, reply, me)) {
          return new FindOutcome.Found(JsonText.id(message, "id"));
        }
      }
      if (messages.size() < PAGE) {
        return new FindOutcome.Absent();
      }
      if (after.isEmpty()) {
        break;
      }
      after = Snowflake.last(messages, after);
    }
    return tooMuch("too much was written since then to look through all of it");
  }

  private boolean isReply(Map<String, Object> message, OutboundReply reply, DiscordIdentity me) {
    String author = JsonText.id(JsonText.map(message, "author"), "id");
    String id = JsonText.id(message, "id");
    if (!author.equals(me.user()) || sent.isOther(id, reply.id())) {
      return false;
    }
    if (JsonText.id(message, "nonce").equals(SentPosts.nonce(reply.id()))) {
      return true;
    }
    String refers = JsonText.id(JsonText.map(message, "message_reference"), "message_id");
    boolean mayAnswer = // in the place of a draft it refers to nothing
        refers.isEmpty() || refers.equals(DiscordPosts.answered(reply.inReplyTo()));
    return mayAnswer && hasContent(message, reply);
  }

  private static boolean hasContent(Map<String, Object> message, OutboundReply reply) {
    boolean hasFiles = JsonText.maps(message, "attachments").isEmpty() == reply.files().isEmpty();
    return (hasFiles || !reply.text().isBlank())
        && same(JsonText.text(message, "content"), DiscordMarkup.content(reply.text()));
  }

  /** Discord takes away blanks at the ends. */
  private static boolean same(String one, String other) {
    return BLANK
        .matcher(one)
        .replaceAll(" ")
        .strip()
        .equals(BLANK.matcher(other).replaceAll(" ").strip());
  }

  private static FindOutcome tooMuch(String why) {
    return new FindOutcome.Failed(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
