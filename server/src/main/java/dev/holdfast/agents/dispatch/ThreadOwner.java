package dev.holdfast.agents.dispatch;

/** Says which process serves a chat thread. Thread-safe. */
interface ThreadOwner {
  /**
   * Whether this process serves it; asked before each activation of an agent. The events of other
   * threads stay on disk for their owner. Never blocks.
   */
  boolean isHere(String threadId);
}
