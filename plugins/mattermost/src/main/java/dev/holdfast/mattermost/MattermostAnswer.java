package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the API said to a call.
 *
 * @param headers by lower-case name
 * @param isReadable whether the body is JSON: what a proxy says mostly is not
 * @param body when it is an object; else empty
 * @param items when it is an array of objects; else none
 */
record MattermostAnswer(
    int status,
    Map<String, List<String>> headers,
    boolean isReadable,
    Map<String, Object> body,
    List<Map<String, Object>> items,
    Instant at) {
  private static final String WHOLE = "whole";
  private static final int ERROR_MAX = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  static MattermostAnswer of(PluginHttp.Answer answer, Instant at) {
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    Map<String, Object> read;
    try {
      // Some calls answer with an array, and the reader takes objects.
      read = JsonText.object("{\"" + WHOLE + "\":" + text + "}");
    } catch (IllegalArgumentException _) {
      read = Map.of();
    }
    return new MattermostAnswer(
        answer.status(),
        answer.headers(),
        read.containsKey(WHOLE),
        JsonText.map(read, WHOLE),
        JsonText.maps(read, WHOLE),
        at);
  }

  private boolean isSuccess() {
    return status >= 200 && status < 300;
  }

  boolean isOk() {
    return isSuccess() && isReadable;
  }

  /** Whether it was done, and what came back is no JSON, or more than is read. */
  boolean isUnreadable() {
    return isSuccess() && !isReadable;
  }

  boolean isForbidden() {
    return status == FORBIDDEN;
  }

  /**
   * Mattermost's id of what is wrong, such as {@code api.context.permissions.app_error}; empty when
   * it named none.
   */
  String error() {
    String id = isOk() ? "" : JsonText.text(body, "id").replaceAll("[^A-Za-z0-9_.]", "");
    return id.substring(0, Math.min(id.length(), ERROR_MAX));
  }

  /** The same, or the failure. */
  MattermostAnswer orThrow() throws CallFailedException {
    if (!isOk()) {
      throw new CallFailedException(failure());
    }
    return this;
  }

  /** What became of a post, which it answers. */
  PostOutcome outcome() {
    if (isSuccess()) {
      String id = JsonText.text(body, "id");
      return MattermostPlace.isId(id)
          ? new PostOutcome.Sent(id)
          : new PostOutcome.Unknown(notTheApi());
    }
    // Also 500 for a post that is still being stored under the same pending_post_id.
    return status >= 500 && status != 503
        ? new PostOutcome.Unknown(failure())
        : new PostOutcome.NotDelivered(failure());
  }

  /** What became of the edit of a post, which it answers. */
  PostOutcome edited(String post) {
    PostOutcome outcome = outcome();
    return outcome instanceof PostOutcome.Sent(String id) && !id.equals(post)
        ? new PostOutcome.Unknown(notTheApi())
        : outcome;
  }

  /** Why it is not ok. */
  Failure failure() {
    Failure failure =
        switch (status) {
          case 400 -> Failure.of(FailureCode.INVALID_REQUEST, refused());
          case UNAUTHORIZED ->
              Failure.of(
                  FailureCode.AUTH,
                  "the token is not valid (401): create a new one for the bot and write it into"
                      + " the configuration");
          case FORBIDDEN ->
              Failure.of(
                  FailureCode.INVALID_REQUEST,
                  "Mattermost does not let the bot do this%s: add it to the channel, and see what"
                          .formatted(named())
                      + " its roles allow");
          case 404 ->
              Failure.of(
                  FailureCode.INVALID_REQUEST,
                  "Mattermost does not have it, or does not show it to the bot" + named());
          case 413 ->
              Failure.of(FailureCode.INVALID_REQUEST, "Mattermost takes nothing of this size");
          default -> ofStatus();
        };
    return failure
        .withRetryAfter(asksToWait(failure))
        .withContext(Map.of("status", Integer.toString(status)));
  }

  private String named() {
    return " (" + (error().isEmpty() ? Integer.toString(status) : error()) + ")";
  }

  private String refused() {
    return error().contains("root_id")
        ? "the thread was deleted" + named()
        : "Mattermost refused it" + named();
  }

  private Failure ofStatus() {
    if (isSuccess()) {
      return notTheApi();
    }
    return switch (HttpOutcome.of(status, headers, "", at)) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent _ -> notTheApi();
    };
  }

  static Failure notTheApi() {
    return Failure.of(
        FailureCode.BACKEND_FAILURE, "what answered is not Mattermost's API: check url");
  }

  /** Beyond a limit, Mattermost says in {@code X-Ratelimit-Reset} for how many seconds. */
  private Duration asksToWait(Failure failure) {
    if (failure.code() != FailureCode.RATE_LIMITED) {
      return RetryAfter.ofHeaders(headers, at);
    }
    Map<String, List<String>> all = new HashMap<>(headers);
    all.put("x-ratelimit-remaining", List.of("0"));
    return RetryAfter.ofRateLimit(all, at);
  }

  /** Whether what it is about is not there, or not for the bot: the same call fails again. */
  boolean isRefused() {
    return !isOk() && failure().kind() == FailureKind.INVALID;
  }
}
