package dev.holdfast.tests.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Prints figures line by line; nothing is kept back until the end, so that a broken run shows what
 * it had.
 */
final class Report {
  private final PrintStream out;

  Report(PrintStream out) {
    this.out = out;
  }

  void heading(String name) {
    out.println();
    out.println("## " + name);
  }

  void line(String text) {
    out.println(text);
  }

  void figure(String what, String value, String bare) {
    out.printf(Locale.ROOT, "%-52s %26s   bare: %s%n", what, value, bare);
  }

  static String perSecond(double rate) {
    return String.format(Locale.ROOT, "%,.0f/s", rate);
  }

  /** Time per event, in microseconds. */
  static String microsEach(Duration time, long events) {
    return String.format(Locale.ROOT, "%.0f us", time.toNanos() / 1e3 / events);
  }

  static String millis(double millis) {
    return String.format(Locale.ROOT, "%.2f ms", millis);
  }

  static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MiB", bytes / (1024.0 * 1024.0));
  }

  /** p50, p99, p99.9 and the maximum of nanoseconds, in milliseconds. */
  static String percentiles(Histogram nanos) {
    return String.format(
        Locale.ROOT,
        "p50 %.2f p99 %.2f p99.9 %.2f max %.1f ms",
        nanos.getValueAtPercentile(50) / 1e6,
        nanos.getValueAtPercentile(99) / 1e6,
        nanos.getValueAtPercentile(99.9) / 1e6,
        nanos.getMaxValue() / 1e6);
  }
}
