package dev.holdfast.resilience;

import dev.holdfast.time.Time;
import java.time.Duration;

/** A moment, by the clock that never jumps, after which nobody waits any more. */
public record Deadline(Time time, long atNanos) {
  public static Deadline in(Time time, Duration budget) {
    return new Deadline(time, time.nanos() + budget.toNanos());
  }

  /** What is left of the budget; zero when it is over. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, atNanos - time.nanos()));
  }

  public boolean isOver() {
    return atNanos - time.nanos() <= 0;
  }
}
