package dev.holdfast.whatsapp;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the Graph API said to a call.
 *
 * @param body empty when it was no JSON
 */
record GraphAnswer(
    int status, Map<String, List<String>> headers, Map<String, Object> body, Instant at) {
  private static final String USAGE = "x-business-use-case-usage";
  private static final long WAIT_MINUTES_MAX = Duration.ofDays(1).toMinutes();

  static GraphAnswer of(JsonAnswer answer, Instant at) {
    return new GraphAnswer(answer.status(), answer.headers(), answer.object(), at);
  }

  boolean isOk() {
    return status >= 200 && status < 300 && !body.containsKey("error");
  }

  /** What Meta names as wrong; empty when it named nothing. */
  private Optional<GraphError> error() {
    return GraphError.of(JsonText.map(body, "error"));
  }

  /** Meta's code for what is wrong; -1 when it named none. */
  long code() {
    return error().map(GraphError::code).orElse(-1L);
  }

  /** The body, or the failure. */
  Map<String, Object> orThrow() throws CallFailedException {
    if (!isOk()) {
      throw new CallFailedException(failure());
    }
    return body;
  }

  /** What became of a post, which it answers. */
  PostOutcome outcome() {
    List<Map<String, Object>> messages = JsonText.maps(body, "messages");
    String id = messages.isEmpty() ? "" : JsonText.text(messages.getFirst(), "id");
    if (isOk()) {
      return id.isEmpty() ? new PostOutcome.Unknown(failure()) : new PostOutcome.Sent(id);
    }
    Optional<GraphError> error = error();
    if (error.isEmpty()) {
      return status >= 200 && status < 300
          ? new PostOutcome.Unknown(failure())
          : HttpOutcome.of(status, headers, "", at);
    }
    boolean isDoubtful = (status >= 500 && status != 503) || error.get().isMaybeDone();
    return isDoubtful
        ? new PostOutcome.Unknown(failure())
        : new PostOutcome.NotDelivered(failure());
  }

  /** Why it is not ok. */
  Failure failure() {
    Failure named = error().map(GraphError::failure).orElseGet(this::withoutCode);
    boolean isLimited = status == 429 && named.code() != FailureCode.RATE_LIMITED;
    Failure failure = isLimited ? Failure.of(FailureCode.RATE_LIMITED, named.message()) : named;
    Duration asked = wait(failure);
    return failure
        .withRetryAfter(asked.isZero() ? failure.retryAfter() : asked)
        .withContext(Map.of("status", Integer.toString(status)));
  }

  private Failure withoutCode() {
    return switch (HttpOutcome.of(status, headers, "", at)) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent _ ->
          Failure.of(
              FailureCode.BACKEND_FAILURE, "what answered is not the Graph API: check base_url");
    };
  }

  private Duration wait(Failure failure) {
    Duration asked = RetryAfter.ofHeaders(headers, at);
    return asked.isZero() && failure.code() == FailureCode.RATE_LIMITED ? untilRegained() : asked;
  }

  /** Meta names minutes in a header of its own, by the id of the business and kind of calls. */
  private Duration untilRegained() {
    String usage = headers.getOrDefault(USAGE, List.of("")).getFirst();
    try {
      Map<String, Object> businesses = JsonText.object(usage);
      long minutes = 0;
      for (String business : businesses.keySet()) {
        for (Map<String, Object> kind : JsonText.maps(businesses, business)) {
          minutes = Math.max(minutes, JsonText.whole(kind, "estimated_time_to_regain_access", 0));
        }
      }
      return Duration.ofMinutes(Math.min(minutes, WAIT_MINUTES_MAX));
    } catch (IllegalArgumentException _) {
      return Duration.ZERO; // there is none, or it is no JSON
    }
  }
}
