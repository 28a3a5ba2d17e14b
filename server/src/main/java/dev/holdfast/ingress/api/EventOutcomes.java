package dev.holdfast.ingress.api;

import java.time.Duration;

/**
 * Tells who waits for an event's end that it ended, or that it waits for a person. What waits is
 * known to this process alone, and so is the end of what this process answers: for several
 * processes an implementation has to hear of ends at the others too. Thread-safe.
 */
interface EventOutcomes extends AutoCloseable {
  /**
   * Begins to listen to a thread: before the event is accepted, since it may end before its id is
   * known here.
   */
  Waiter expect(String threadId);

  /** Nobody waits any longer. */
  @Override
  void close();

  /** Somebody who waits. */
  interface Waiter extends AutoCloseable {
    /**
     * Blocks the calling virtual thread. False: it did not end within {@code most}, or a person was
     * asked for a decision first.
     */
    boolean await(String eventId, Duration most) throws InterruptedException;

    @Override
    void close();
  }
}
