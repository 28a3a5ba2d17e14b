package dev.holdfast.store.messages;

import java.time.Duration;
import java.time.Instant;

/**
 * A part of a reply in the outbox.
 *
 * @param seq grows with each planned reply: the order within a thread
 * @param attempts how many sends were started
 * @param unknowns how many of them ended without an answer
 * @param nextAt when it is due
 * @param paced how much of its waits the platform has asked for
 * @param detail the platform's id of the post, or the last failure
 */
public record Reply(
    long seq,
    NewReply reply,
    ReplyState state,
    int attempts,
    int unknowns,
    Instant plannedAt,
    Instant nextAt,
    Duration paced,
    String detail) {
  /** The same with one more send. */
  public Reply tried() {
    return new Reply(seq, reply, state, attempts + 1, unknowns, plannedAt, nextAt, paced, detail);
  }

  /** The same before its first send. */
  public Reply untried() {
    return new Reply(seq, reply, ReplyState.PLANNED, 0, unknowns, plannedAt, nextAt, paced, detail);
  }
}
