package dev.holdfast.modes;

/** Which rule is in force, and since when its mode is, by {@link dev.holdfast.time.Time#nanos}. */
record Standing(ModeRule rule, long sinceNanos) {
  Mode mode() {
    return rule.mode();
  }
}
