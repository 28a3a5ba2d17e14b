package dev.holdfast.api.channels;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/** The time in a signature: too old or too new is a replay, or a clock that cannot be trusted. */
public final class SignedTime {
  /** No leading zero, no sign, no space, and few enough digits for a long. */
  private static final Pattern SECONDS = Pattern.compile("[1-9][0-9]{0,11}");

  private SignedTime() {}

  /** Whether a text is a number of seconds since 1970, as signatures have it. */
  public static boolean isSeconds(String text) {
    return SECONDS.matcher(text).matches();
  }

  /**
   * Whether the moment is at most {@code window} before or after {@code now}; false when the text
   * is no number of seconds.
   *
   * @param now the server's clock, as {@link dev.holdfast.api.WebhookRequest#receivedAt}
   */
  public static boolean isWithin(String seconds, Instant now, Duration window) {
    if (!isSeconds(seconds)) {
      return false;
    }
    Instant signedAt = Instant.ofEpochSecond(Long.parseLong(seconds));
    return Duration.between(signedAt, now).abs().compareTo(window) <= 0;
  }
}
