package dev.holdfast.cli;

/**
 * What the doctor found out about one thing.
 *
 * @param name of the thing
 * @param advice what to do; empty when nothing is to be done
 */
record Finding(Verdict verdict, String name, String text, String advice) {
  enum Verdict {
    GOOD,
    WARNING,
    BAD
  }

  static Finding good(String name, String text) {
    return new Finding(Verdict.GOOD, name, text, "");
  }

  static Finding warning(String name, String text, String advice) {
    return new Finding(Verdict.WARNING, name, text, advice);
  }

  static Finding bad(String name, String text, String advice) {
    return new Finding(Verdict.BAD, name, text, advice);
  }
}
