package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the Web API said to a call. Slack refuses with status 200, too: {@code ok} tells.
 *
 * @param body empty when it was no JSON
 */
record SlackAnswer(
    int status, Map<String, List<String>> headers, Map<String, Object> body, Instant at) {
  /** Slack says of these that some of the work may have been done. */
  private static final Set<String> MAYBE_DONE = Set.of("internal_error", "fatal_error");

  static SlackAnswer of(JsonAnswer answer, Instant at) {
    return new SlackAnswer(answer.status(), answer.headers(), answer.object(), at);
  }

  boolean isOk() {
    return status == 200 && JsonText.flag(body, "ok");
  }

  /** Slack's code for what is wrong, such as {@code not_in_channel}; empty when it named none. */
  String error() {
    return isOk() ? "" : JsonText.text(body, "error").replaceAll("[^a-z0-9_]", "");
  }

  /** Whether it surely was refused for a reason that is not of this one conversation. */
  boolean isRefusedEverywhere() {
    return switch (error()) {
      case "unknown_method",
          "missing_scope",
          "not_allowed_token_type",
          "method_deprecated",
          "feature_not_enabled" ->
          true;
      default -> false;
    };
  }

  /** The body, or the failure. */
  Map<String, Object> orThrow() throws CallFailedException {
    if (!isOk()) {
      throw new CallFailedException(failure());
    }
    return body;
  }

  private boolean isSuccess() {
    return status >= 200 && status < 300;
  }

  /** What became of a post, which it answers. */
  PostOutcome outcome() {
    String ts = JsonText.text(body, "ts");
    if (isOk()) {
      return SlackEventReader.isTs(ts)
          ? new PostOutcome.Sent(ts)
          : new PostOutcome.Unknown(notTheApi());
    }
    if (error().isEmpty()) {
      return isSuccess()
          ? new PostOutcome.Unknown(failure())
          : HttpOutcome.of(status, headers, "", at);
    }
    return MAYBE_DONE.contains(error())
        ? new PostOutcome.Unknown(failure())
        : new PostOutcome.NotDelivered(failure());
  }

  /** What became of the edit of a message, which it answers. */
  PostOutcome edited(String ts) {
    PostOutcome outcome = outcome();
    return outcome instanceof PostOutcome.Sent(String said) && !said.equals(ts)
        ? new PostOutcome.Unknown(notTheApi())
        : outcome;
  }

  private static Failure notTheApi() {
    return Failure.of(
        FailureCode.BACKEND_FAILURE, "what answered is not the Web API: check base_url");
  }

  /** Why it is not ok. */
  Failure failure() {
    Failure failure =
        switch (error()) {
          case "" -> withoutCode();
          case "ratelimited", "rate_limited" ->
              Failure.of(FailureCode.RATE_LIMITED, "Slack asks to wait (ratelimited)");
          case "missing_scope" -> Failure.of(FailureCode.AUTH, missingScope());
          case "not_allowed_token_type" ->
              Failure.of(
                  FailureCode.AUTH,
                  "this is no token of the right kind (not_allowed_token_type): bot_token begins"
                      + " with xoxb-, app_token with xapp-");
          case "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive" ->
              Failure.of(
                  FailureCode.AUTH,
                  "the token is not valid (%s): install the app again and write its new token into"
                          .formatted(error())
                      + " the configuration");
          case "org_login_required",
              "ekm_access_denied",
              "team_access_not_granted",
              "two_factor_setup_required" ->
              Failure.of(
                  FailureCode.AUTH,
                  "the workspace does not let the app in (%s): an administrator has to allow it"
                      .formatted(error()));
          case "service_unavailable", "team_added_to_org" ->
              Failure.of(FailureCode.OVERLOADED, "Slack is unavailable (" + error() + ")");
          case "internal_error", "fatal_error", "request_timeout" ->
              Failure.of(FailureCode.BACKEND_FAILURE, "Slack failed (" + error() + ")");
          default -> Failure.of(FailureCode.INVALID_REQUEST, ofConversation());
        };
    return failure
        .withRetryAfter(RetryAfter.ofHeaders(headers, at))
        .withContext(Map.of("status", Integer.toString(status)));
  }

  private Failure withoutCode() {
    return switch (HttpOutcome.of(status, headers, "", at)) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent _ -> notTheApi();
    };
  }

  private String missingScope() {
    String needed = JsonText.text(body, "needed").replaceAll("[^a-z0-9:._, -]", "");
    return "the token lacks the scope %s: add it under OAuth & Permissions, and install the app again"
        .formatted(needed.isEmpty() ? "for this call" : needed);
  }

  private String ofConversation() {
    return switch (error()) {
      case "not_in_channel" -> "the app is not in the channel: invite it (not_in_channel)";
      case "channel_not_found" ->
          "Slack does not show this conversation to the app: invite it (channel_not_found)";
      case "is_archived" -> "the channel is archived (is_archived)";
      case "thread_not_found" -> "the thread was deleted (thread_not_found)";
      case "messages_tab_disabled" ->
          "the app takes no direct messages: turn on the Messages tab under App Home"
              + " (messages_tab_disabled)";
      case "msg_too_long" -> "Slack takes no post of this length (msg_too_long)";
      case "restricted_action",
          "restricted_action_read_only_channel",
          "restricted_action_thread_only_channel" ->
          "the workspace lets the app write nothing there (" + error() + ")";
      default -> "Slack refused it (" + error() + ")";
    };
  }
}
