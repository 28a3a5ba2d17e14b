package dev.holdfast.matrix;

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
import java.util.List;
import java.util.Map;

/**
 * What a homeserver said to a call.
 *
 * @param body empty when it was no JSON, as the page of a proxy is
 */
record MatrixAnswer(
    int status, Map<String, List<String>> headers, Map<String, Object> body, Instant at) {
  private static final Duration WAIT_MAX = Duration.ofDays(1);

  static MatrixAnswer of(JsonAnswer answer, Instant at) {
    return new MatrixAnswer(answer.status(), answer.headers(), answer.object(), at);
  }

  /** Of something that needed no call, or whose outcome does not matter. */
  static MatrixAnswer done() {
    return new MatrixAnswer(200, Map.of(), Map.of(), Instant.EPOCH);
  }

  boolean isOk() {
    return status == 200;
  }

  /** The homeserver's code for what is wrong, such as {@code M_FORBIDDEN}; empty if it has none. */
  String error() {
    return isOk() ? "" : JsonText.text(body, "errcode").replaceAll("[^A-Z0-9_.]", "");
  }

  /** The body, or the failure. */
  Map<String, Object> orThrow() throws CallFailedException {
    if (!isOk()) {
      throw new CallFailedException(failure());
    }
    return body;
  }

  /** What became of an event that was sent, which it answers. */
  PostOutcome outcome() {
    String event = JsonText.text(body, "event_id");
    if (status >= 200 && status < 300) {
      return isOk() && event.startsWith("$")
          ? new PostOutcome.Sent(event)
          : new PostOutcome.Unknown(noHomeserver());
    }
    return HttpOutcome.of(status, headers, "", at) instanceof PostOutcome.Unknown
        ? new PostOutcome.Unknown(failure())
        : new PostOutcome.NotDelivered(failure());
  }

  private static Failure noHomeserver() {
    return Failure.of(
        FailureCode.BACKEND_FAILURE, "what answered is no homeserver: check base_url");
  }

  /** Why it is not ok. */
  Failure failure() {
    Failure failure =
        switch (error()) {
          case "M_UNKNOWN_TOKEN", "M_MISSING_TOKEN" -> Failure.of(FailureCode.AUTH, refusedToken());
          case "M_USER_DEACTIVATED", "M_USER_LOCKED", "M_USER_SUSPENDED" ->
              Failure.of(
                  FailureCode.AUTH,
                  "the homeserver has closed the account (%s): its administrator has to open it"
                      .formatted(error()));
          case "M_CONSENT_NOT_GIVEN" ->
              Failure.of(
                  FailureCode.AUTH,
                  "the homeserver wants its terms accepted (M_CONSENT_NOT_GIVEN): log in as the"
                      + " account in a browser");
          case "M_RESOURCE_LIMIT_EXCEEDED" ->
              Failure.of(
                  FailureCode.QUOTA,
                  "the homeserver has reached a limit of its own (M_RESOURCE_LIMIT_EXCEEDED): ask"
                      + " its administrator");
          case "M_LIMIT_EXCEEDED" ->
              Failure.of(
                  FailureCode.RATE_LIMITED, "the homeserver asks to wait (M_LIMIT_EXCEEDED)");
          case "M_FORBIDDEN", "M_GUEST_ACCESS_FORBIDDEN" ->
              Failure.of(
                  FailureCode.INVALID_REQUEST,
                  "the room does not let the account do this (%s): invite it, or raise its power"
                          .formatted(error())
                      + " level");
          case "M_TOO_LARGE" ->
              Failure.of(
                  FailureCode.INVALID_REQUEST,
                  "the homeserver takes nothing of this size (M_TOO_LARGE)");
          case "" -> withoutCode();
          default -> ofStatus("the homeserver refused it (" + error() + ")");
        };
    return failure
        .withRetryAfter(retryAfter())
        .withContext(Map.of("status", Integer.toString(status)));
  }

  private String refusedToken() {
    String how =
        JsonText.flag(body, "soft_logout") ? "the session was ended (M_UNKNOWN_TOKEN)" : error();
    return "the access token is not valid (%s): log in again as the account and write its new token"
            .formatted(how)
        + " into the configuration";
  }

  private Failure ofStatus(String said) {
    return switch (HttpOutcome.of(status, headers, "", at)) {
      case PostOutcome.NotDelivered(Failure failure) ->
          Failure.of(failure.code(), said).as(failure.kind());
      case PostOutcome.Unknown(Failure failure) ->
          Failure.of(failure.code(), said).as(failure.kind());
      case PostOutcome.Sent _ -> Failure.of(FailureCode.BACKEND_FAILURE, said);
    };
  }

  private Failure withoutCode() {
    if (isOk()) {
      return noHomeserver();
    }
    String other = "what answered (%d) is no homeserver: check base_url".formatted(status);
    if (status == 404) {
      return Failure.of(FailureCode.INVALID_REQUEST, other).as(FailureKind.PERMANENT);
    }
    return ofStatus(status < 400 ? other : "the homeserver answered " + status);
  }

  /** The header; older homeservers say it in the body alone. */
  private Duration retryAfter() {
    Duration header = RetryAfter.ofHeaders(headers, at);
    long millis = JsonText.whole(body, "retry_after_ms", 0);
    Duration said = Duration.ofMillis(Math.clamp(millis, 0, WAIT_MAX.toMillis()));
    return header.compareTo(said) > 0 ? header : said;
  }
}
