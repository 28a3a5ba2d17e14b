package dev.holdfast.api;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How long the other side asks to wait. Zero when it asks for nothing, for a time that has passed,
 * or in a way that makes no sense; never more than a year.
 */
public final class RetryAfter {
  private static final Duration WAIT_MAX = Duration.ofDays(365);
  private static final Pattern NUMBER = Pattern.compile("\\d{1,12}(?:\\.\\d{1,9})?");

  /** No wait is as long as the time since 1970. */
  private static final Pattern EPOCH_SECONDS = Pattern.compile("[1-9]\\d{9,10}");

  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private RetryAfter() {}

  /**
   * By {@code retry-after-ms} or {@code retry-after}, which has seconds or an HTTP date.
   *
   * @param headers names in lower case
   */
  public static Duration ofHeaders(Map<String, List<String>> headers, Instant now) {
    Duration millis = number(first(headers, "retry-after-ms"), MILLISECOND);
    if (!millis.isZero()) {
      return millis;
    }
    String value = first(headers, "retry-after");
    return value.contains(":") ? untilDate(value, now) : number(value, SECOND);
  }

  /**
   * As {@link #ofHeaders}; if it asks for nothing and {@code x-ratelimit-remaining} is 0, by {@code
   * x-ratelimit-reset-after}, in seconds, or {@code x-ratelimit-reset}, in seconds from now or
   * since 1970.
   *
   * @param headers names in lower case
   */
  public static Duration ofRateLimit(Map<String, List<String>> headers, Instant now) {
    Duration asked = ofHeaders(headers, now);
    if (!asked.isZero() || !first(headers, "x-ratelimit-remaining").equals("0")) {
      return asked;
    }
    Duration after = number(first(headers, "x-ratelimit-reset-after"), SECOND);
    if (!after.isZero()) {
      return after;
    }
    String reset = first(headers, "x-ratelimit-reset");
    return EPOCH_SECONDS.matcher(reset).matches()
        ? bounded(Duration.between(now, Instant.ofEpochSecond(Long.parseLong(reset))))
        : number(reset, SECOND);
  }

  /** By a text such as {@code 46s} or {@code 1.5s}, as it stands in the bodies of some errors. */
  public static Duration ofText(String text) {
    String stripped = text.strip();
    return stripped.endsWith("s")
        ? number(stripped.substring(0, stripped.length() - 1), SECOND)
        : Duration.ZERO;
  }

  private static String first(Map<String, List<String>> headers, String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    return values.isEmpty() ? "" : values.getFirst().strip();
  }

  private static Duration number(String text, Duration unit) {
    if (!NUMBER.matcher(text).matches()) {
      return Duration.ZERO;
    }
    BigDecimal nanos = new BigDecimal(text).multiply(BigDecimal.valueOf(unit.toNanos()));
    return nanos.compareTo(BigDecimal.valueOf(WAIT_MAX.toNanos())) >= 0
        ? WAIT_MAX
        : Duration.ofNanos(nanos.longValue());
  }

  private static Duration untilDate(String date, Instant now) {
    try {
      Instant until = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return bounded(Duration.between(now, until));
    } catch (DateTimeException _) {
      return Duration.ZERO;
    }
  }

  private static Duration bounded(Duration wait) {
    if (wait.isNegative()) {
      return Duration.ZERO;
    }
    return wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
  }
}
