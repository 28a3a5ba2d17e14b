package dev.holdfast.memory;

/** A sweep cannot go on; what it has done so far stays. */
final class SweepEndedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient SweepRun.Outcome outcome;

  SweepEndedException(SweepRun.Outcome outcome, String why) {
    super(why);
    this.outcome = outcome;
  }

  SweepRun.Outcome outcome() {
    return outcome;
  }

  String why() {
    return String.valueOf(getMessage());
  }
}
