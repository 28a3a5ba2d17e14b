package dev.holdfast.tools.memory;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A MEMORY.md as it was before a change.
 *
 * @param number counted up, from 1
 * @param replacedAt in whole seconds
 * @param by what replaced it: {@code sweep}, {@code restore}, {@code promotion} or {@code remember}
 */
public record MemoryVersion(int number, Instant replacedAt, String by, long bytes) {
  static final int NUMBER_MAX = 999_999;

  private static final Pattern NAME =
      Pattern.compile("([0-9]{6})-([0-9]{8}T[0-9]{6}Z)-([a-z]{1,20})\\.md");
  private static final DateTimeFormatter AT =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  String fileName() {
    return "%06d-%s-%s.md".formatted(number, AT.format(replacedAt), by);
  }

  /** Empty for a file that is no version. */
  static Optional<MemoryVersion> of(String fileName, long bytes) {
    Matcher name = NAME.matcher(fileName);
    if (!name.matches()) {
      return Optional.empty();
    }
    try {
      Instant at = LocalDateTime.parse(name.group(2), AT).toInstant(ZoneOffset.UTC);
      return Optional.of(
          new MemoryVersion(Integer.parseInt(name.group(1)), at, name.group(3), bytes));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }
}
