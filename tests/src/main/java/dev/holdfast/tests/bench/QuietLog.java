package dev.holdfast.tests.bench;

/** Keeps the libraries' logs out of the figures; must be set before the first of them loads. */
final class QuietLog {
  private QuietLog() {}

  static void set() {
    System.setProperty("logback.configurationFile", "bench-logback.xml");
  }
}
