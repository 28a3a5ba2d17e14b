package dev.holdfast.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes several times as fast, so that a test of the whole server need not wait for its
 * long limits. Clocks and waits are scaled together: a limit is as long as ever by this clock, and
 * a fraction of that on the wall. What does not go through {@link Time} is not scaled: waits on
 * locks, sockets and processes, the disk, the clocks of children and of everybody outside.
 */
public final class ScaledTime implements Time {
  /** The property that asks for it: how many times as fast, from 1 to 100. */
  public static final String SCALE = "holdfast.time_scale";

  /**
   * The property that says since when, in milliseconds since 1970: a server that is started again
   * with the same value goes on where its clock was. Without it, since now.
   */
  public static final String SINCE = "holdfast.time_since";

  /** The switch without which a server refuses both. */
  public static final String TESTING = "holdfast.testing";

  private static final int SCALE_MAX = 100;

  private final Time time;
  private final int scale;
  private final Instant since;
  private final long sinceNanos;

  private ScaledTime(Time time, int scale, Instant since) {
    this.time = time;
    this.scale = scale;
    this.since = since;
    this.sinceNanos = time.nanos();
  }

  /**
   * The time of a process: {@code system} itself, unless its properties ask for a faster one.
   *
   * @throws IllegalArgumentException if they ask for it without {@link #TESTING}, or in a wrong way
   */
  public static Time from(Properties properties, Time system) {
    @Nullable String scale = properties.getProperty(SCALE);
    @Nullable String since = properties.getProperty(SINCE);
    if (scale == null && since == null) {
      return system;
    }
    if (!Boolean.parseBoolean(properties.getProperty(TESTING))) {
      throw new IllegalArgumentException(
          "-D%s and -D%s are for tests of Holdfast alone: remove them".formatted(SCALE, SINCE));
    }
    return new ScaledTime(
        system,
        (int) number(SCALE, scale == null ? "1" : scale, SCALE_MAX),
        since == null
            ? system.now()
            : Instant.ofEpochMilli(number(SINCE, since, system.now().toEpochMilli())));
  }

  private static long number(String name, String text, long max) {
    if (!text.matches("[0-9]{1,15}") || Long.parseLong(text) < 1 || Long.parseLong(text) > max) {
      throw new IllegalArgumentException(
          "-D%s must be a whole number from 1 to %d, got %s".formatted(name, max, text));
    }
    return Long.parseLong(text);
  }

  @Override
  public Instant now() {
    return since.plus(Duration.between(since, time.now()).multipliedBy(scale));
  }

  @Override
  public long nanos() {
    return sinceNanos + (time.nanos() - sinceNanos) * scale;
  }

  @Override
  public void sleep(Duration wait) throws InterruptedException {
    time.sleep(wait.dividedBy(scale));
  }

  @Override
  public Timer after(Duration wait, Runnable task) {
    return time.after(wait.dividedBy(scale), task);
  }
}
