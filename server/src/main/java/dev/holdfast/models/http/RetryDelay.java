package dev.holdfast.models.http;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The wait that stands in the body of an error. */
final class RetryDelay {
  private static final Pattern SECONDS = Pattern.compile("(\\d{1,6})(?:\\.(\\d{1,3})\\d*)?s");

  private RetryDelay() {}

  /** {@code 46s} or {@code 1.5s}; zero for anything else. */
  static Duration of(String text) {
    Matcher matcher = SECONDS.matcher(text.strip());
    if (!matcher.matches()) {
      return Duration.ZERO;
    }
    String fraction = matcher.group(2) == null ? "0" : matcher.group(2);
    long millis = Long.parseLong((fraction + "00").substring(0, 3));
    return Duration.ofSeconds(Long.parseLong(matcher.group(1))).plusMillis(millis);
  }
}
