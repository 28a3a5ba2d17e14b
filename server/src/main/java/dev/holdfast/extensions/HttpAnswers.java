package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.net.BodyFailedException;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** What the answers of a remote server mean. */
final class HttpAnswers {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

  /** One answer may hold so many of the longest messages. */
  private static final int MESSAGES_MAX = 8;

  private HttpAnswers() {}

  static Limits limits(Duration total, int messageBytesMax) {
    Duration connect = total.compareTo(CONNECT_MAX) < 0 ? total : CONNECT_MAX;
    return new Limits(connect, total, total, total, (long) messageBytesMax * MESSAGES_MAX);
  }

  static boolean isAccepted(Streamed answer) {
    return answer.status() / 100 == 2;
  }

  static boolean isStream(Streamed answer) {
    return type(answer).equals("text/event-stream");
  }

  static boolean isJson(Streamed answer) {
    return type(answer).equals("application/json");
  }

  private static String type(Streamed answer) {
    String header = McpEndpoint.header(answer, "content-type");
    int end = header.indexOf(';');
    return (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /**
   * What another status than success means.
   *
   * @param hasSession whether the server has given us a session, which it may forget
   */
  static CallFailedException refusal(Streamed answer, boolean hasSession, Instant now) {
    int status = answer.status();
    String said = "answered with status " + status;
    if (status == 404 && hasSession) {
      return new SessionEndedException(
          Failure.of(FailureCode.BACKEND_FAILURE, "has ended the session (status 404)"));
    }
    if (status == 401) {
      return new SessionEndedException(
          Failure.of(FailureCode.AUTH, "refuses the credentials (status 401): check headers"));
    }
    Failure failure =
        switch (status) {
          case 403 -> Failure.of(FailureCode.AUTH, said + ": the credentials do not allow it");
          case 408, 504 -> Failure.of(FailureCode.TIMEOUT, said);
          case 429 -> Failure.of(FailureCode.RATE_LIMITED, said);
          case 503 -> Failure.of(FailureCode.OVERLOADED, said);
          default ->
              status >= 500
                  ? Failure.of(FailureCode.BACKEND_FAILURE, said)
                  : Failure.of(FailureCode.INVALID_REQUEST, said).as(FailureKind.PERMANENT);
        };
    return new CallFailedException(
        failure.withRetryAfter(RetryAfter.ofHeaders(answer.headers(), now)));
  }

  /** All of the body, which must not be longer. */
  static String text(InputStream body, int bytesMax)
      throws CallFailedException, InterruptedException {
    try {
      byte[] bytes = body.readNBytes(bytesMax + 1);
      if (bytes.length > bytesMax) {
        throw new CallFailedException(tooLong(bytesMax));
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  static Failure tooLong(int bytesMax) {
    return Failure.of(
            FailureCode.BACKEND_FAILURE, "sent a message of more than " + bytesMax + " bytes")
        .as(FailureKind.INVALID);
  }

  /** Why a body cannot be read further. */
  static CallFailedException broken(IOException e) throws InterruptedException {
    if (e instanceof InterruptedIOException) {
      boolean _ = Thread.interrupted();
      throw new InterruptedException("interrupted while reading");
    }
    return e instanceof BodyFailedException failed
        ? sorted(failed.failure())
        : new CallFailedException(Failure.of(FailureCode.BACKEND_FAILURE, "broke off"), e);
  }

  /** What broke off after it was sent may have been done. */
  static CallFailedException sorted(HttpFailedException failed) {
    Failure failure = failed.failure();
    return failure.code() != FailureCode.NETWORK || failed.surelyNotSent()
        ? failed
        : new CallFailedException(
            Failure.of(FailureCode.BACKEND_FAILURE, failure.message()), failed);
  }
}
