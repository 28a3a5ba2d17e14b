package dev.holdfast.resilience;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Leave to make one call. Its holder must settle it in every way out; only the first outcome
 * counts, so a last {@link #neutral()} in a {@code finally} leaks nothing and overrides nothing.
 * Thread-safe.
 */
public final class BreakerPermit {
  private final HoldfastBreaker breaker;
  private final long epoch;
  private final AtomicBoolean settled = new AtomicBoolean();

  BreakerPermit(HoldfastBreaker breaker, long epoch) {
    this.breaker = breaker;
    this.epoch = epoch;
  }

  /**
   * False once the breaker has moved on: the outcome would change nothing, and a call not yet begun
   * must not begin.
   */
  public boolean isCurrent() {
    return breaker.epoch() == epoch;
  }

  public void succeeded() {
    settle(new BreakerEvent.Succeeded(epoch));
  }

  /** The call failed in a way that says that the dependency is ill. */
  public void failed() {
    settle(new BreakerEvent.Failed(epoch));
  }

  /** As {@link CallOutcome#PART_FAILED}, or {@link CallOutcome#PARTS_FAILED} when it is enough. */
  void partFailed(boolean enough) {
    settle(new BreakerEvent.PartFailed(epoch, enough));
  }

  /** The call's end says nothing about the dependency. */
  public void neutral() {
    settle(new BreakerEvent.Neutral(epoch));
  }

  private void settle(BreakerEvent outcome) {
    if (settled.compareAndSet(false, true)) {
      breaker.apply(outcome);
    }
  }
}
