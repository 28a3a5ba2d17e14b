package dev.holdfast.models.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.RetryAfter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Sorts what a provider refuses into failures: by status and type first, by its words last. */
final class ProviderErrors {
  /** 429s that no wait helps: the money is gone. */
  private static final Set<String> MONEY =
      Set.of(
          "insufficient_quota",
          "credit_balance_exhausted",
          "organization_spend_limit_exceeded",
          "project_spend_limit_exceeded",
          "organization_usage_limit_exceeded",
          "billing_hard_limit_reached",
          "enforced_spend_limit_reached",
          "billing_error");

  private static final List<String> OVERFLOWS =
      List.of(
          "prompt is too long",
          "exceed context limit",
          "exceeds the context window",
          "maximum context length",
          "exceeds the maximum number of tokens",
          "exceeds the context length",
          "context window exceeds limit",
          "exceeds the available context size");

  private final String provider;
  private final String secret;

  /** {@code secret} is cut out of every text. */
  ProviderErrors(String provider, String secret) {
    this.provider = provider;
    this.secret = secret;
  }

  /** Of an answer whose status is not 2xx. */
  Failure ofAnswer(int status, Map<String, List<String>> headers, String body, Instant now) {
    ProviderError error = ProviderError.ofBody(body);
    Duration wait = RetryAfter.ofHeaders(headers, now);
    Failure failure =
        sort(status, error, headers).withRetryAfter(wait.isZero() ? error.retryAfter() : wait);
    return switch (ResponseHeaders.first(headers, "x-should-retry")) {
      case "true" ->
          failure.kind() == FailureKind.INVALID ? failure : failure.as(FailureKind.TRANSIENT);
      case "false" -> failure.isPassing() ? failure.as(FailureKind.PERMANENT) : failure;
      default -> failure;
    };
  }

  /**
   * The error in an event of a stream, or in a body that came with 200; empty when there is none.
   */
  Optional<Failure> in(JsonNode event) {
    return ProviderError.of(event)
        .map(
            error -> {
              int status = error.status() > 0 ? error.status() : statusOf(error);
              return sort(status, error, Map.of()).withRetryAfter(error.retryAfter());
            });
  }

  private Failure sort(int status, ProviderError error, Map<String, List<String>> headers) {
    Failure bare = Failure.of(code(status, error), words(status, error));
    Failure failure =
        (status >= 300 && status < 400) || status == 404 ? bare.as(FailureKind.PERMANENT) : bare;
    Map<String, String> facts = new TreeMap<>();
    facts.put("status", Integer.toString(status));
    put(facts, "type", error.type());
    put(facts, "code", error.code());
    put(facts, "request_id", firstOf(headers, "request-id", "x-request-id"));
    return failure.withContext(facts);
  }

  private static FailureCode code(int status, ProviderError error) {
    // 429 before overflow: a rate limit speaks of tokens too.
    if (status == 429) {
      return isMoney(error) ? FailureCode.QUOTA : FailureCode.RATE_LIMITED;
    }
    return switch (status) {
      case 401, 403 -> FailureCode.AUTH;
      case 402 -> FailureCode.QUOTA;
      case 408, 504 -> FailureCode.TIMEOUT;
      case 409 -> FailureCode.BACKEND_FAILURE;
      case 503, 529 -> FailureCode.OVERLOADED;
      default -> status >= 500 ? serverError(error) : clientError(status, error);
    };
  }

  private static FailureCode serverError(ProviderError error) {
    return isOverflow(error) ? FailureCode.CONTEXT_OVERFLOW : FailureCode.BACKEND_FAILURE;
  }

  private static FailureCode clientError(int status, ProviderError error) {
    if (error.code().equals("API_KEY_INVALID") || error.code().equals("invalid_api_key")) {
      return FailureCode.AUTH;
    }
    if (MONEY.contains(error.code()) || says(error, "usage limits")) {
      return FailureCode.QUOTA;
    }
    return status != 404 && isOverflow(error)
        ? FailureCode.CONTEXT_OVERFLOW
        : FailureCode.INVALID_REQUEST;
  }

  private static boolean isMoney(ProviderError error) {
    return MONEY.contains(error.code())
        || MONEY.contains(error.type())
        || error.facts().contains("PerDay")
        || says(error, "limit: 0");
  }

  private static boolean isOverflow(ProviderError error) {
    return error.code().equals("context_length_exceeded")
        || OVERFLOWS.stream().anyMatch(words -> says(error, words));
  }

  private static boolean says(ProviderError error, String words) {
    return error.message().toLowerCase(Locale.ROOT).contains(words);
  }

  /** What the type or code of an error inside a stream would have been as a status. */
  private static int statusOf(ProviderError error) {
    if (MONEY.contains(error.code()) || MONEY.contains(error.type())) {
      return 402;
    }
    int byCode = statusOf(error.code());
    int byType = byCode > 0 ? byCode : statusOf(error.type());
    return byType > 0 ? byType : statusOfWords(error);
  }

  private static int statusOf(String name) {
    return switch (name) {
      case "invalid_request_error",
          "context_length_exceeded",
          "INVALID_ARGUMENT",
          "invalid_prompt" ->
          400;
      case "authentication_error", "invalid_api_key", "UNAUTHENTICATED" -> 401;
      case "permission_error", "PERMISSION_DENIED" -> 403;
      case "not_found_error", "model_not_found", "NOT_FOUND" -> 404;
      case "request_too_large" -> 413;
      case "rate_limit_error", "rate_limit_exceeded", "slow_down", "RESOURCE_EXHAUSTED" -> 429;
      case "timeout_error", "DEADLINE_EXCEEDED" -> 504;
      case "overloaded_error", "service_unavailable_error", "server_is_overloaded", "UNAVAILABLE" ->
          529;
      case "api_error", "server_error", "INTERNAL" -> 500;
      default -> 0;
    };
  }

  private static int statusOfWords(ProviderError error) {
    if (isOverflow(error)) {
      return 400;
    }
    if (says(error, "rate limit exceeded") || says(error, "too many requests")) {
      return 429;
    }
    return says(error, "overloaded") ? 529 : 500;
  }

  private String words(int status, ProviderError error) {
    String name = error.code().isEmpty() ? error.type() : error.code();
    String text = ErrorText.clean(error.message(), secret);
    return provider
        + " refused with "
        + status
        + (name.isEmpty() ? "" : " " + ErrorText.clean(name, secret))
        + (text.isEmpty() ? "" : ": " + text);
  }

  private static String firstOf(Map<String, List<String>> headers, String one, String other) {
    String found = ResponseHeaders.first(headers, one);
    return ErrorText.clean(found.isEmpty() ? ResponseHeaders.first(headers, other) : found, "");
  }

  private void put(Map<String, String> facts, String name, String value) {
    if (!value.isEmpty()) {
      facts.put(name, ErrorText.clean(value, secret));
    }
  }
}
