package dev.holdfast.memory;

import dev.holdfast.models.RemoteUse;

/** What sweeps may cost now. Thread-safe. */
public interface SweepBudget {
  /** How remote models may be used. */
  RemoteUse remote();

  /** Whether a chat thread has used up what it may in a day, or that cannot be told. */
  boolean isSpent(String threadId);
}
