package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How times, lengths and amounts are written for people. */
final class Formats {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final Pattern LENGTH = Pattern.compile("([0-9]{1,9})(s|m|h|d)");

  /** How many rows are listed when nobody says. */
  private static final int LISTED_USUAL = 50;

  private Formats() {}

  /** The option that lists as many again; empty when nobody has to say so. */
  static String limit(int limit) {
    return limit == LISTED_USUAL ? "" : " --limit " + limit;
  }

  /** An instant as ISO-8601 text or as milliseconds since 1970. */
  static Optional<Instant> instant(JsonNode value) {
    if (value.isNumber()) {
      return Optional.of(Instant.ofEpochMilli(value.asLong()));
    }
    try {
      return Optional.of(Instant.parse(value.asText()));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  static String clock(JsonNode value) {
    return instant(value).map(CLOCK::format).orElse(VisibleText.line(value.asText()));
  }

  static String day(JsonNode value) {
    return instant(value).map(DAY::format).orElse(VisibleText.line(value.asText()));
  }

  static String millis(long millis) {
    if (millis < 1000) {
      return millis + " ms";
    }
    return millis < 60_000
        ? String.format(Locale.ROOT, "%.1f s", millis / 1000.0)
        : length(Duration.ofMillis(millis));
  }

  /** {@code 3 h 20 min}: the two largest units. */
  static String length(Duration length) {
    long seconds = Math.max(0, length.toSeconds());
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 3600) {
      return seconds / 60 + " min " + seconds % 60 + " s";
    }
    if (seconds < 86_400) {
      return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }
    return seconds / 86_400 + " d " + seconds % 86_400 / 3600 + " h";
  }

  static String dollars(double amount) {
    return amount == 0 ? "$0" : String.format(Locale.ROOT, "$%.4f", amount);
  }

  static String bytes(long bytes) {
    if (bytes < 1L << 20) {
      return bytes / 1024 + " KiB";
    }
    return bytes < 1L << 30
        ? (bytes >> 20) + " MiB"
        : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
  }

  /** The beginning of a text, on one line. */
  static String brief(String text, int lengthMax) {
    String line = text.replaceAll("\\s+", " ").strip();
    return line.length() <= lengthMax ? line : line.substring(0, lengthMax - 1) + "\u2026";
  }

  /** A text that is too long for a log, and how much of it is missing. */
  static String cut(String text, int lengthMax) {
    return text.length() <= lengthMax
        ? text
        : text.substring(0, lengthMax) + "... (" + (text.length() - lengthMax) + " more)";
  }

  /** {@code 90s}, {@code 15m}, {@code 2h} or {@code 7d}. */
  static Duration parseLength(String text) throws CliException {
    Matcher matcher = LENGTH.matcher(text);
    if (!matcher.matches()) {
      throw new CliException(
          ExitCode.USAGE, text + " is not a duration: write for example 90s, 15m, 2h or 7d");
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }
}
