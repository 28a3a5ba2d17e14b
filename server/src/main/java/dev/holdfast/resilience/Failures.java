package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Sorts what went wrong into failures: by type first, by text last. */
public final class Failures {
  private static final int CAUSES_MAX = 10;

  /** Whole words only, in this order: a rate limit may speak of tokens, as an overflow does. */
  private static final List<Words> TEXTS =
      List.of(
          new Words(FailureCode.RATE_LIMITED, "rate limit exceeded|rate limited|too many requests"),
          new Words(FailureCode.OVERLOADED, "overloaded"),
          new Words(
              FailureCode.CONTEXT_OVERFLOW,
              "prompt is too long|context_length_exceeded|maximum context length|exceeds? the context window"
                  + "|exceeds? (?:the )?context (?:length|limit)|exceeds the maximum number of tokens"),
          new Words(
              FailureCode.NETWORK,
              "connection refused|connection reset|connection closed|broken pipe"),
          new Words(FailureCode.TIMEOUT, "timeout|timed out"),
          new Words(
              FailureCode.IO,
              "resource temporarily unavailable|too many open files|no space left on device"));

  private Failures() {}

  private record Words(FailureCode code, Pattern pattern) {
    Words(FailureCode code, String words) {
      this(
          code,
          Pattern.compile("(?<![\\w-])(?:" + words + ")(?![\\w-])", Pattern.CASE_INSENSITIVE));
    }
  }

  /**
   * What a thrown thing means. What carries a failure keeps it; what nobody foresaw is {@code
   * INTERNAL}, or {@code BACKEND_FAILURE} when it is no bug of ours by its type.
   */
  public static Failure of(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++, cause = cause.getCause()) {
      if (cause instanceof CallFailedException failed) {
        return failed.failure();
      }
      FailureCode code = byType(cause);
      if (code != null) {
        return Failure.of(code, describe(cause));
      }
    }
    return byText(thrown)
        .orElseGet(
            () ->
                Failure.of(
                    thrown instanceof RuntimeException || thrown instanceof Error
                        ? FailureCode.INTERNAL
                        : FailureCode.BACKEND_FAILURE,
                    describe(thrown)));
  }

  /** What a text means by its words; the last resort. A bare number in a text is never a status. */
  public static Optional<FailureCode> ofText(String text) {
    return TEXTS.stream()
        .filter(words -> words.pattern().matcher(text).find())
        .map(Words::code)
        .findFirst();
  }

  private static @Nullable FailureCode byType(Throwable thrown) {
    return switch (thrown) {
      case SocketTimeoutException _ -> FailureCode.TIMEOUT;
      case TimeoutException _ -> FailureCode.TIMEOUT;
      case HttpTimeoutException _ -> FailureCode.TIMEOUT;
      case io.vertx.circuitbreaker.TimeoutException _ -> FailureCode.TIMEOUT;
      case InterruptedException _ -> FailureCode.CANCELLED;
      case InterruptedIOException _ -> FailureCode.CANCELLED;
      case CancellationException _ -> FailureCode.CANCELLED;
      case SocketException _ -> FailureCode.NETWORK;
      case UnknownHostException _ -> FailureCode.NETWORK;
      case UnresolvedAddressException _ -> FailureCode.NETWORK;
      case SSLException _ -> FailureCode.NETWORK;
      case ClosedChannelException _ -> FailureCode.NETWORK;
      case EOFException _ -> FailureCode.NETWORK;
      case IOException e -> ofText(text(e)).orElse(FailureCode.IO);
      default -> null;
    };
  }

  private static Optional<Failure> byText(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++, cause = cause.getCause()) {
      Optional<FailureCode> code = ofText(text(cause));
      if (code.isPresent()) {
        return Optional.of(Failure.of(code.get(), describe(cause)));
      }
    }
    return Optional.empty();
  }

  private static String text(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null ? "" : message;
  }

  /** The type alone: a message of somebody else's may hold a secret. */
  private static String describe(Throwable thrown) {
    return thrown.getClass().getSimpleName();
  }
}
