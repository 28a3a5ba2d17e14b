package dev.holdfast.models;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How much thought a turn is worth, lowest first. */
enum Level {
  REACTIVE,
  OPERATIONAL,
  TACTICAL,
  STRATEGIC;

  /** The name in the configuration. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> keys() {
    return Arrays.stream(values()).map(Level::key).toList();
  }

  /**
   * @throws IllegalArgumentException when there is no such level
   */
  static Level of(String key) {
    return Arrays.stream(values())
        .filter(level -> level.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such level: " + key));
  }
}
