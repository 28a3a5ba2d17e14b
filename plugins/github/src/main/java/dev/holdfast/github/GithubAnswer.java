package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the REST API said to a call.
 *
 * @param body empty when it was no JSON object
 * @param items of a list, those that are objects; empty when it was no list
 */
record GithubAnswer(
    int status,
    Map<String, List<String>> headers,
    Map<String, Object> body,
    Optional<List<Map<String, Object>>> items,
    Instant at) {
  /** GitHub asks for it where it names no time. */
  private static final Duration LIMITED_LEAST = Duration.ofMinutes(1);

  private static final Pattern NEXT_PAGE = Pattern.compile("rel=\"?next\"?");

  static GithubAnswer of(JsonAnswer answer, Instant at) {
    return new GithubAnswer(
        answer.status(), answer.headers(), answer.object(), items(answer.text()), at);
  }

  private static Optional<List<Map<String, Object>>> items(String text) {
    if (!text.stripLeading().startsWith("[")) {
      return Optional.empty();
    }
    try {
      return Optional.of(JsonText.maps(JsonText.object("{\"items\":" + text + "}"), "items"));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  boolean isOk() {
    return status >= 200 && status < 300;
  }

  /** Whether it is as it was when it had the tag that was sent. */
  boolean isUnchanged() {
    return status == 304;
  }

  boolean isRedirect() {
    return status == 301 || status == 302 || status == 307 || status == 308;
  }

  /** Whether what was asked for was deleted, or is out of reach. */
  boolean isGone() {
    return status == 404 || status == 410;
  }

  /** Empty when there are none or several. */
  String header(String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }

  /** Whether the list goes on. */
  boolean hasNextPage() {
    return NEXT_PAGE.matcher(header("link")).find();
  }

  /** The object, or the failure. */
  Map<String, Object> orThrow() throws CallFailedException {
    if (!isOk() || body.isEmpty()) {
      throw new CallFailedException(failure());
    }
    return body;
  }

  /** The list, or the failure. */
  List<Map<String, Object>> listOrThrow() throws CallFailedException {
    if (!isOk() || items.isEmpty()) {
      throw new CallFailedException(failure());
    }
    return items.get();
  }

  /** What became of a post, which it answers. */
  PostOutcome outcome() {
    if (isOk()) {
      String id = JsonText.id(body, "id");
      // Without one it is the page of a proxy, which may have passed the post on.
      return id.isEmpty() ? new PostOutcome.Unknown(failure()) : new PostOutcome.Sent(id);
    }
    return status >= 500 && status != 503
        ? new PostOutcome.Unknown(failure())
        : new PostOutcome.NotDelivered(failure());
  }

  /** Why it is not what was asked for. */
  Failure failure() {
    return refusal().withContext(Map.of("status", Integer.toString(status)));
  }

  private Failure refusal() {
    return switch (status) {
      case 401 ->
          Failure.of(
              FailureCode.AUTH,
              "the token is not valid any more (401): make a new one under Settings, Developer"
                  + " settings, and write it into the configuration");
      case 403, 429 -> isLimited() ? limited() : ofPlace(forbidden());
      case 404 ->
          ofPlace(
              "the token does not reach the repository, or what it names there is no more (404):"
                  + " look under Repository access of the token, and at the name");
      case 410 -> ofPlace("it was deleted, or the repository has issues turned off (410)");
      case 451 -> ofPlace("GitHub may not show it for legal reasons (451)");
      case 422 ->
          says("submitted too quickly")
              ? limited()
              : Failure.of(FailureCode.INVALID_REQUEST, "GitHub does not take this text (422)");
      default -> {
        if (isOk()) {
          yield GithubBot.notTheApi().failure();
        }
        if (isRedirect()) {
          yield Failure.of(
              FailureCode.NETWORK,
              "GitHub sends the call elsewhere (%d): check base_url".formatted(status));
        }
        yield byStatus();
      }
    };
  }

  private Failure byStatus() {
    return switch (HttpOutcome.of(status, headers, "", at)) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent _ -> GithubBot.notTheApi().failure();
    };
  }

  private static Failure ofPlace(String sentence) {
    return Failure.of(FailureCode.INVALID_REQUEST, sentence).as(FailureKind.PERMANENT);
  }

  private String forbidden() {
    if (says("resource not accessible")) {
      return "the token may not do this (403): give it Issues and Pull requests, read and write";
    }
    if (says("saml")) {
      return "the organization wants the token authorized for single sign-on (403)";
    }
    if (says("archived")) {
      return "the repository is archived, so nobody can write there (403)";
    }
    return says("locked")
        ? "the conversation is locked (403)"
        : "GitHub lets the bot's user not do this (403): look at the rights of the token, and"
            + " whether the conversation is locked or the user blocked";
  }

  private boolean isLimited() {
    return status == 429
        || header("x-ratelimit-remaining").equals("0")
        || !header("retry-after").isEmpty()
        || says("rate limit")
        || says("abuse detection");
  }

  private boolean says(String words) {
    return JsonText.text(body, "message").toLowerCase(Locale.ROOT).contains(words)
        || (status == 422 && JsonText.write(body).contains(words));
  }

  private Failure limited() {
    Duration asked = RetryAfter.ofRateLimit(headers, at);
    return Failure.of(FailureCode.RATE_LIMITED, "GitHub asks to wait (%d)".formatted(status))
        .withRetryAfter(asked.isZero() ? LIMITED_LEAST : asked);
  }

  /** How long until there are calls again; zero when it does not say. */
  Duration untilReset() {
    Map<String, List<String>> used = new HashMap<>(headers);
    used.put("x-ratelimit-remaining", List.of("0"));
    return RetryAfter.ofRateLimit(used, at);
  }
}
