package dev.holdfast.access;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;

/** How many wrong codes may be entered, whoever enters them. Used under a lock. */
final class GuessLimit {
  static final int WRONG_MAX = 10;
  static final Duration PERIOD = Duration.ofHours(1);

  private final ArrayDeque<Long> wrongAtNanos = new ArrayDeque<>();
  private final Time time;

  GuessLimit(Time time) {
    this.time = time;
  }

  /** How long no code is looked at; zero when the next one is. */
  Duration left() {
    long now = time.nanos();
    while (!wrongAtNanos.isEmpty() && now - wrongAtNanos.getFirst() >= PERIOD.toNanos()) {
      wrongAtNanos.removeFirst();
    }
    return wrongAtNanos.size() < WRONG_MAX
        ? Duration.ZERO
        : PERIOD.minusNanos(now - wrongAtNanos.getFirst());
  }

  void wrong() {
    wrongAtNanos.addLast(time.nanos());
  }
}
