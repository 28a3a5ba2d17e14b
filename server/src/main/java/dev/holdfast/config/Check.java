package dev.holdfast.config;

import java.time.Duration;

/** What the records of the configuration refuse. Each message begins with the key: {@code max_rounds must be ...}. */
public final class Check {
  private Check() {}

  /** @throws IllegalArgumentException when {@code value} is outside {@code min} to {@code max}, both allowed */
  public static void inRange(String key, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          key + " must be from " + min + " to " + max + ", got " + value);
    }
  }

  /** @throws IllegalArgumentException when {@code value} is shorter than {@code min} */
  public static void atLeast(String key, Duration value, Duration min) {
    if (value.compareTo(min) < 0) {
      throw new IllegalArgumentException(key + " must be at least " + plain(min) + ", got " + plain(value));
    }
  }

  private static String plain(Duration duration) {
    return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
  }
}
