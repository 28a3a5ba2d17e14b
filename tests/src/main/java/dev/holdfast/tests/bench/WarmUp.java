package dev.holdfast.tests.bench;

import java.time.Duration;

/**
 * Loads a server until its figures stand still: those of a JVM that still compiles are off by a
 * factor of up to thirty.
 */
final class WarmUp {
  private static final Duration WINDOW = Duration.ofSeconds(5);
  private static final int WINDOWS_MAX = 18;

  /** Below this a window is no better than those before it. */
  private static final double GAIN = 1.05;

  /** A load that is run for a while; returns how much was done per second. */
  interface Load {
    double run(Duration span) throws Exception;
  }

  private WarmUp() {}

  /**
   * Runs the load in stretches of 5 s until two in a row are no better than the best before them,
   * for a minute and a half at most. In quick mode for 10 s.
   */
  static void until(Scale scale, Load load) throws Exception {
    int windows = scale.count(WINDOWS_MAX, 2);
    double best = 0;
    int still = 0;
    for (int window = 0; window < windows && still < 2; window++) {
      double perSecond = load.run(WINDOW);
      still = perSecond > best * GAIN ? 0 : still + 1;
      best = Math.max(best, perSecond);
    }
  }
}
