package dev.holdfast.bus;

/**
 * An event in the queue.
 *
 * @param seq grows with each event; its place, also after it came back from the dead letters
 * @param payload a CloudEvent as JSON
 * @param attempts how often NATS has refused it
 * @param whole whether its bytes are those that were written
 */
record QueuedEvent(
    long seq, String id, String subject, String payload, int attempts, boolean whole) {
  QueuedEvent refusedOnceMore() {
    return new QueuedEvent(seq, id, subject, payload, attempts + 1, whole);
  }
}
