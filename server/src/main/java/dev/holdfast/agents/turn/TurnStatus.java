package dev.holdfast.agents.turn;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What people see of a chat thread's turns while they run, and what they were told. Thread-safe.
 */
public final class TurnStatus {
  private final LongSupplier outage;
  private final AtomicLong toldOutage = new AtomicLong();
  private volatile String doing = "idle";
  private volatile boolean heard;

  /** {@code outage}: the number of the outage of now. */
  public TurnStatus(LongSupplier outage) {
    this.outage = outage;
  }

  /** What the turn does, in a few words. */
  public void doing(String what) {
    doing = what;
  }

  public String doing() {
    return doing;
  }

  /** {@code yes}: the model has said something to the turn of now. */
  public void heard(boolean yes) {
    heard = yes;
  }

  public boolean isHeard() {
    return heard;
  }

  /**
   * Whether nobody was told of the outage of now in this chat thread; from then on somebody was.
   */
  public boolean isFirstOfOutage() {
    long now = outage.getAsLong();
    return toldOutage.getAndSet(now) != now;
  }
}
