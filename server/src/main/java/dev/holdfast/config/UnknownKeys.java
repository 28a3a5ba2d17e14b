package dev.holdfast.config;

import java.util.Optional;
import java.util.Set;

/** Reports the keys of a file that nothing asked for. */
final class UnknownKeys {
  private UnknownKeys() {}

  static void report(ReadingState reading) {
    for (Section section : reading.sections) {
      if (section.asked().isEmpty()) {
        continue; // the record around it could not be made; that is reported already
      }
      for (String key : section.given()) {
        if (!section.asked().contains(key)) {
          reading.report(section.lineOf(key), section.path(), sentence(reading, section, key));
        }
      }
    }
  }

  private static String sentence(ReadingState reading, Section section, String key) {
    if (key.equals("<<")) {
      return "merge keys (<<) are not supported; write the values out";
    }
    String shown = key.length() > 100 ? key.substring(0, 100) + "..." : key;
    return "unknown key " + shown + "; " + hint(reading, section, key);
  }

  private static String hint(ReadingState reading, Section section, String key) {
    Set<String> asked = section.asked();
    Optional<String> nearest = NearestName.nearest(key, asked);
    if (nearest.isPresent()) {
      return "did you mean " + nearest.get() + "?";
    }
    return reading.sections.stream()
        .filter(other -> other.asked().contains(key))
        .findFirst()
        .map(
            other ->
                "it belongs " + (other.path().isEmpty() ? "at the top" : "under " + other.path()))
        .orElse("known here: " + String.join(", ", asked));
  }
}
