package dev.holdfast.telegram;

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
import java.util.Locale;
import java.util.Map;

/**
 * What the Bot API said to a call.
 *
 * @param description Telegram's own words, one line without secrets; empty when it said none
 */
record BotAnswer(
    int status,
    Map<String, List<String>> headers,
    Map<String, Object> body,
    String description,
    Instant at) {
  private static final int DESCRIPTION_MAX = 200;
  private static final long WAIT_SECONDS_MAX = Duration.ofDays(365).toSeconds();

  static BotAnswer of(JsonAnswer answer, String token, Instant at) {
    Map<String, Object> body = answer.object();
    String said =
        JsonText.text(body, "description").replace(token, "...").replaceAll("\\p{C}", " ").strip();
    String description = said.substring(0, Math.min(said.length(), DESCRIPTION_MAX));
    return new BotAnswer(answer.status(), answer.headers(), body, description, at);
  }

  boolean isOk() {
    return status >= 200 && status < 300 && JsonText.flag(body, "ok");
  }

  Map<String, Object> result() {
    return JsonText.map(body, "result");
  }

  /** Telegram's code, which is the status unless something stands between. */
  int code() {
    return (int) JsonText.whole(body, "error_code", status);
  }

  /** Whether it refused with these words; Telegram has no finer codes. */
  boolean says(String words) {
    return !isOk() && description.toLowerCase(Locale.ROOT).contains(words);
  }

  /** The id that a group has had since it became a supergroup; empty when it has not. */
  String migratedTo() {
    return isOk() ? "" : JsonText.id(JsonText.map(body, "parameters"), "migrate_to_chat_id");
  }

  private Duration retryAfter() {
    long seconds = JsonText.whole(JsonText.map(body, "parameters"), "retry_after", 0);
    return seconds > 0
        ? Duration.ofSeconds(Math.min(seconds, WAIT_SECONDS_MAX))
        : RetryAfter.ofHeaders(headers, at);
  }

  /** What became of the edit of a post, which it answers with the message. */
  PostOutcome edited(String platformId) {
    String chat = platformId.substring(0, platformId.lastIndexOf(':'));
    PostOutcome outcome = outcome(chat);
    return outcome instanceof PostOutcome.Sent(String said) && !said.equals(platformId)
        ? new PostOutcome.Unknown(notTheApi())
        : outcome;
  }

  private static Failure notTheApi() {
    return Failure.of(
        FailureCode.BACKEND_FAILURE, "what answered is not the Bot API: check base_url");
  }

  /** Why it is not ok. */
  Failure failure() {
    String said =
        description.isEmpty() ? "Telegram answered " + code() : "Telegram: " + description;
    Failure failure =
        switch (code()) {
          case 401, 404 ->
              Failure.of(
                  FailureCode.AUTH,
                  "the token is not valid ("
                      + code()
                      + "): write the one that BotFather shows into the configuration");
          case 403 -> Failure.of(FailureCode.INVALID_REQUEST, said).as(FailureKind.PERMANENT);
          case 408, 425 -> Failure.of(FailureCode.BACKEND_FAILURE, said);
          case 429 -> Failure.of(FailureCode.RATE_LIMITED, said);
          case 503 -> Failure.of(FailureCode.OVERLOADED, said);
          case 200, 201, 202, 204 -> notTheApi();
          default ->
              code() >= 400 && code() < 500
                  ? Failure.of(FailureCode.INVALID_REQUEST, said)
                  : Failure.of(FailureCode.BACKEND_FAILURE, said);
        };
    return failure
        .withRetryAfter(retryAfter())
        .withContext(Map.of("status", Integer.toString(code())));
  }

  /** The result, or the failure. */
  Map<String, Object> orThrow() throws CallFailedException {
    if (!isOk()) {
      throw new CallFailedException(failure());
    }
    return result();
  }

  /** What became of a post in a chat, which it answers with the message. */
  PostOutcome outcome(String chat) {
    if (isOk()) {
      String message = JsonText.id(result(), "message_id");
      return message.isEmpty()
          ? new PostOutcome.Unknown(notTheApi())
          : new PostOutcome.Sent(chat + ":" + message);
    }
    if (status >= 300 && status < 400) {
      return HttpOutcome.of(status, headers, "", at);
    }
    boolean isRefused = (code() >= 400 && code() < 500) || code() == 503;
    return isRefused ? new PostOutcome.NotDelivered(failure()) : new PostOutcome.Unknown(failure());
  }
}
