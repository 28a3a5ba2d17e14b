package dev.holdfast.store.ledgers;

import java.time.Instant;

/**
 * A wake-up of a chat thread.
 *
 * @param id of ours, short, for people to name it
 * @param callKey the tool call that made it: the same call makes it once
 * @param person whose message made it, the platform's id
 * @param kind how {@code spec} is read; the store does not
 * @param zone the time zone that {@code spec} is meant in
 * @param text what the thread is told when it fires
 * @param missed what becomes of due times that nobody could serve
 * @param next when it is due; of one that has ended, when it was due last
 * @param openEventId the event of its last firing while that is unanswered; else empty
 */
public record Schedule(
    String id,
    String callKey,
    String threadId,
    String person,
    Kind kind,
    String spec,
    String zone,
    String text,
    Missed missed,
    Instant madeAt,
    State state,
    Instant next,
    String openEventId) {

  /** Once, again and again after so many seconds, or by a cron line. */
  public enum Kind {
    AT,
    EVERY,
    CRON
  }

  /**
   * Due times that passed while the server was down, the clock jumped, or the one before was not
   * answered yet.
   */
  public enum Missed {
    /** However many there were, it fires once. */
    ONCE,
    /** They are gone. */
    SKIP
  }

  /** Only an ACTIVE one fires. */
  public enum State {
    ACTIVE,
    /** It has fired for the last time. */
    DONE,
    CANCELLED,
    /** Its row was changed by something else than this program. */
    DAMAGED
  }
}
