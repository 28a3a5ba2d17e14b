package dev.holdfast.channels;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/** The header {@code Retry-After}: seconds or a date. */
final class RetryAfter {
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

  private RetryAfter() {}

  /** How long to wait from {@code now}; zero when the value says nothing that we understand. */
  static Duration parse(String value, Instant now) {
    String text = value.strip();
    if (SECONDS.matcher(text).matches()) {
      return Duration.ofSeconds(Long.parseLong(text));
    }
    try {
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return date.isAfter(now) ? Duration.between(now, date) : Duration.ZERO;
    } catch (DateTimeException _) {
      return Duration.ZERO;
    }
  }
}
