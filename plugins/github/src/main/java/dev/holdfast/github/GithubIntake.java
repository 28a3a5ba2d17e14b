package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What GitHub delivers to one account. A delivery has no time in it: one that comes again is known
 * by what it is about, and what is old counts as nothing new. Thread-safe.
 */
final class GithubIntake {
  private static final Duration IDENTITY_MAX = Duration.ofMillis(1500);

  /** For so long GitHub delivers something again when it is asked to. */
  private static final Duration AGE_MAX = Duration.ofDays(3);

  private static final String VERSION = "sha256=";

  private final GithubBot bot;
  private final HmacKey key;

  /** Of an account with a secret. */
  GithubIntake(GithubBot bot) {
    this.bot = bot;
    this.key = HmacKey.ofText(HmacKey.Algorithm.SHA256, bot.account().webhookSecret());
  }

  /** Something that somebody has just written; {@code number}: of its issue or pull request. */
  private record Written(GithubSource source, Map<String, Object> item, long number) {
    /**
     * When it became visible, by GitHub's clock; a comment of a review is created with the review
     * and submitted later. Always new when it does not say: what GitHub sends does.
     */
    Instant at() {
      String key = source == GithubSource.REVIEW_COMMENTS ? "updated_at" : "created_at";
      try {
        return Instant.parse(JsonText.text(item, key));
      } catch (DateTimeException _) {
        return Instant.MAX;
      }
    }
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    String signature = request.onlyHeader("x-hub-signature-256");
    if (!signature.startsWith(VERSION)
        || !key.matchesHex(signature.substring(VERSION.length()), request.body())) {
      return new WebhookVerdict.Refused("its signature is missing or wrong");
    }
    if (!mediaType(request).equals("application/json")) {
      return new WebhookVerdict.Unparsable(
          "the content type is not JSON: choose application/json in the settings of the webhook");
    }
    try {
      return read(
          request.onlyHeader("x-github-event"),
          JsonText.object(new String(request.body(), StandardCharsets.UTF_8)),
          request.receivedAt());
    } catch (IllegalArgumentException _) {
      return new WebhookVerdict.Unparsable("the body is no JSON object");
    }
  }

  private static String mediaType(WebhookRequest request) {
    String type = request.onlyHeader("content-type");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  private WebhookVerdict read(String event, Map<String, Object> delivery, Instant receivedAt)
      throws InterruptedException {
    Optional<Written> written =
        written(event, delivery).filter(each -> !each.at().isBefore(receivedAt.minus(AGE_MAX)));
    Optional<GithubRepository> repository =
        GithubRepository.of(JsonText.map(delivery, "repository"));
    if (written.isEmpty() || repository.isEmpty()) {
      return new WebhookVerdict.Messages(List.of());
    }
    if (!bot.account().repositories().has(repository.get().fullName())) {
      return new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED));
    }
    GithubIdentity me;
    try {
      me = bot.identity(IDENTITY_MAX);
    } catch (CallFailedException e) {
      bot.warn("a delivery was not taken; the next poll finds it: " + e.failure().summary());
      return new WebhookVerdict.Answer(503, "text/plain", "");
    }
    return verdict(
        bot.reader()
            .read(
                written.get().source(),
                repository.get(),
                written.get().number(),
                written.get().item(),
                me));
  }

  private static Optional<Written> written(String event, Map<String, Object> delivery) {
    String what = event + " " + JsonText.text(delivery, "action");
    return switch (what) {
      case "issue_comment created" ->
          Optional.of(comment(GithubSource.COMMENTS, delivery, "issue"));
      case "pull_request_review_comment created" ->
          Optional.of(comment(GithubSource.REVIEW_COMMENTS, delivery, "pull_request"));
      case "issues opened" -> Optional.of(opened(delivery, "issue"));
      case "pull_request opened" -> Optional.of(opened(delivery, "pull_request"));
      default -> Optional.empty();
    };
  }

  private static Written comment(GithubSource source, Map<String, Object> delivery, String parent) {
    long number = JsonText.whole(JsonText.map(delivery, parent), "number", 0);
    return new Written(source, JsonText.map(delivery, "comment"), number);
  }

  private static Written opened(Map<String, Object> delivery, String key) {
    Map<String, Object> item = JsonText.map(delivery, key);
    return new Written(GithubSource.ISSUES, item, JsonText.whole(item, "number", 0));
  }

  private static WebhookVerdict verdict(GithubEvent event) {
    return switch (event) {
      case GithubEvent.Said(InboundMessage message) ->
          new WebhookVerdict.Messages(List.of(message));
      case GithubEvent.Dropped(DropReason reason) ->
          new WebhookVerdict.Messages(List.of(), List.of(reason));
      case GithubEvent.Ignored _ -> new WebhookVerdict.Messages(List.of());
    };
  }
}
