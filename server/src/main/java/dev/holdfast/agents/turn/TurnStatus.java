package dev.holdfast.agents.turn;

import dev.holdfast.agents.thread.AgentHost;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What people see of a chat thread's turns while they run, and what they were told. Thread-safe.
 */
public final class TurnStatus {
  private final AgentHost host;
  private final AtomicLong toldOutage = new AtomicLong();
  private volatile String doing = "idle";

  public TurnStatus(AgentHost host) {
    this.host = host;
  }

  Budgets budgets() {
    return host.shared().budgets();
  }

  /** What the turn does, in a few words. */
  public void doing(String what) {
    doing = what;
  }

  public String doing() {
    return doing;
  }

  /**
   * Whether nobody was told of the outage of now in this chat thread; from then on somebody was.
   */
  public boolean isFirstOfOutage() {
    long outage = host.outage();
    return toldOutage.getAndSet(outage) != outage;
  }
}
