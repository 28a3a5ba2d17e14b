package dev.holdfast.config;

import java.time.Duration;

/**
 * What the records of the configuration refuse: {@code max_rounds must be ...}. The exception
 * carries the key, by which {@link Section#read} finds the line.
 */
public final class Check {
  private Check() {}

  /**
   * @throws RefusedValueException when {@code value} is outside {@code min} to {@code max}, both
   *     allowed
   */
  public static void inRange(String key, long value, long min, long max) {
    that(
        value >= min && value <= max, key, "must be from " + min + " to " + max + ", got " + value);
  }

  /**
   * @throws RefusedValueException when {@code value} is outside {@code min} to {@code max}, both
   *     allowed, or not a number
   */
  public static void inRange(String key, double value, double min, double max) {
    that(
        value >= min && value <= max, key, "must be from " + min + " to " + max + ", got " + value);
  }

  /**
   * @throws RefusedValueException when {@code value} is below {@code min}
   */
  public static void atLeast(String key, long value, long min) {
    that(value >= min, key, "must be at least " + min + ", got " + value);
  }

  /**
   * @throws RefusedValueException when {@code value} is shorter than {@code min}
   */
  public static void atLeast(String key, Duration value, Duration min) {
    that(
        value.compareTo(min) >= 0, key, "must be at least " + plain(min) + ", got " + plain(value));
  }

  /**
   * @throws RefusedValueException when {@code value} is outside {@code min} to {@code max}, both
   *     allowed
   */
  public static void inRange(String key, Duration value, Duration min, Duration max) {
    that(
        value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
        key,
        "must be from " + plain(min) + " to " + plain(max) + ", got " + plain(value));
  }

  /**
   * For what the other checks cannot say.
   *
   * @param rest the sentence after the key
   * @throws RefusedValueException when {@code holds} is false
   */
  public static void that(boolean holds, String key, String rest) {
    if (!holds) {
      throw new RefusedValueException(key, key + " " + rest);
    }
  }

  private static String plain(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }
}
