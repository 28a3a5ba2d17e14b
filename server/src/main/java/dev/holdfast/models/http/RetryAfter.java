package dev.holdfast.models.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a provider asks to wait. What cannot be read counts as not said; at most a day. */
final class RetryAfter {
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final Pattern SECONDS = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)s?");

  private RetryAfter() {}

  /** From {@code retry-after-ms} or {@code retry-after}, which is in seconds or a date; zero when there is neither. */
  static Duration of(Map<String, List<String>> headers, Instant now) {
    String millis = first(headers, "retry-after-ms");
    if (SECONDS.matcher(millis).matches() && !millis.endsWith("s")) {
      return bounded(Double.parseDouble(millis) / 1000);
    }
    String wait = first(headers, "retry-after");
    Duration seconds = seconds(wait);
    return seconds.isZero() ? until(wait, now) : seconds;
  }

  /** {@code 46s}, {@code 1.5s} or plain seconds; zero for anything else. */
  static Duration seconds(String text) {
    Matcher matcher = SECONDS.matcher(text.strip());
    return matcher.matches() ? bounded(Double.parseDouble(matcher.group(1))) : Duration.ZERO;
  }

  static String first(Map<String, List<String>> headers, String name) {
    return headers.getOrDefault(name, List.of()).stream().findFirst().orElse("").strip();
  }

  private static Duration until(String date, Instant now) {
    try {
      Instant when = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration wait = Duration.between(now, when);
      return wait.isNegative() ? Duration.ZERO : bounded(wait.toMillis() / 1000.0);
    } catch (DateTimeException _) {
      return Duration.ZERO;
    }
  }

  private static Duration bounded(double seconds) {
    Duration wait = Duration.ofMillis(Math.round(Math.min(seconds, LONGEST.toSeconds()) * 1000));
    return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
  }
}
