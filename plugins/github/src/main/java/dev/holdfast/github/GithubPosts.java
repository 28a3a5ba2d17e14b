package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Posts replies of one account as comments and finds them again: each ends with its id, which
 * people do not see. Blocks the calling thread. Thread-safe.
 */
final class GithubPosts {
  private static final Duration POST_MAX = Duration.ofSeconds(30);

  /** Of one call; where something has moved there are two. */
  private static final Duration LOOK_MAX = Duration.ofSeconds(4);

  /** The last call begins before; with it, a search stays below 20 s. */
  private static final Duration FIND_MAX = Duration.ofSeconds(11);

  private static final int PAGE = 30;
  private static final int PAGES_MAX = 30;
  private static final Pattern COMMENT_KEY =
      Pattern.compile("(comment|review-comment):([1-9][0-9]{0,17})");

  private final GithubBot bot;

  GithubPosts(GithubBot bot) {
    this.bot = bot;
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    Optional<GithubPlace> place = GithubPlace.ofThread(reply.thread());
    if (place.isEmpty()) {
      return new PostOutcome.NotDelivered(noIssue());
    }
    try {
      return bot.api()
          .post(place.get().path() + "/comments", Map.of("body", PostedText.of(reply)), POST_MAX)
          .outcome();
    } catch (CallFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private static Failure noIssue() {
    return Failure.of(FailureCode.INVALID_REQUEST, "the conversation is no issue of GitHub")
        .as(FailureKind.PERMANENT);
  }

  /** Looks through what was written since the message that the reply answers. */
  FindOutcome find(OutboundReply reply) throws InterruptedException {
    Optional<GithubPlace> place = GithubPlace.ofThread(reply.thread());
    if (place.isEmpty()) {
      return new FindOutcome.Failed(noIssue());
    }
    long begin = bot.context().nanos();
    try {
      GithubIdentity me = bot.identity(LOOK_MAX);
      return find(place.get(), since(place.get(), reply.inReplyTo()), reply.id(), me, begin);
    } catch (CallFailedException e) {
      return new FindOutcome.Failed(e.failure());
    }
  }

  /** As a part of a query; empty when it is not known, as with a comment that was deleted. */
  private String since(GithubPlace place, String inReplyTo)
      throws CallFailedException, InterruptedException {
    Matcher key = COMMENT_KEY.matcher(inReplyTo);
    if (!key.matches()) {
      return ""; // the issue itself is answered: all comments are newer
    }
    GithubSource source =
        key.group(1).equals(GithubSource.COMMENTS.key())
            ? GithubSource.COMMENTS
            : GithubSource.REVIEW_COMMENTS;
    String path = "/repos/" + place.repository() + "/" + source.list() + "/" + key.group(2);
    GithubAnswer answer = bot.api().get(path, LOOK_MAX);
    if (answer.isGone()) {
      return "";
    }
    Map<String, Object> answered = answer.orThrow();
    try {
      return "&since=" + Instant.parse(JsonText.text(answered, "created_at"));
    } catch (DateTimeException _) {
      return "";
    }
  }

  private FindOutcome find(
      GithubPlace place, String since, String replyId, GithubIdentity me, long begin)
      throws CallFailedException, InterruptedException {
    String marker = PostedText.marker(replyId);
    for (int page = 1; page <= PAGES_MAX; page++) {
      if (bot.context().nanos() - begin >= FIND_MAX.toNanos()) {
        return new FindOutcome.Failed(
            Failure.of(FailureCode.TIMEOUT, "GitHub is too slow to look for the reply"));
      }
      String path = "%s/comments?per_page=%d&page=%d%s".formatted(place.path(), PAGE, page, since);
      GithubAnswer answer = bot.api().get(path, LOOK_MAX);
      List<Map<String, Object>> comments = answer.listOrThrow();
      for (Map<String, Object> comment : comments) {
        if (JsonText.whole(JsonText.map(comment, "user"), "id", 0) == me.id()
            && JsonText.text(comment, "body").stripTrailing().endsWith(marker)) {
          return new FindOutcome.Found(JsonText.id(comment, "id"));
        }
      }
      if (!answer.hasNextPage()) {
        return new FindOutcome.Absent();
      }
    }
    return new FindOutcome.Failed(
        Failure.of(
            FailureCode.INVALID_REQUEST,
            "too much was written since then to look through all of it"));
  }
}
