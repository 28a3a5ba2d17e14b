package dev.holdfast.tasks.ledger;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One call of an agent.
 *
 * @param number from 1, over all agents
 * @param endedAt null while it runs, or when it was cut off
 * @param code empty when it succeeded; INTERRUPTED when it was cut off
 */
public record TaskAttempt(
    int number,
    String agent,
    Instant beganAt,
    @Nullable Instant endedAt,
    String code,
    String message) {
  /** The code of an attempt that has asked a person for something. */
  public static final String ASKED = "ASKED";

  /** The code of an attempt that was cut off. */
  public static final String INTERRUPTED = "INTERRUPTED";
}
