package dev.holdfast.tasks.rules;

import dev.holdfast.api.FailureCode;

/**
 * What follows on an attempt that failed: the same agent again, another agent that can do it,
 * better models, or nothing. A pure function of what has happened so far.
 */
public final class FailureLadder {
  /** How often another agent is tried. */
  public static final int REASSIGNS_MAX = 2;

  /** All attempts of a task, over all agents. */
  public static final int ATTEMPTS_MAX = 12;

  private FailureLadder() {}

  /** What follows. */
  public enum Rung {
    RETRY,
    REASSIGN,
    /** The same agent with models of a higher level. */
    ESCALATE,
    GIVE_UP
  }

  /**
   * How far a task has come.
   *
   * @param attempts all of them, this one included
   * @param attemptsOfAgent of this agent, this one included
   * @param repeatable whether a second run does no harm
   * @param othersLeft whether another agent that can do it, and is not refused, was not tried yet
   * @param higherLevel whether its agent has models of a higher level that were not tried yet
   */
  public record Progress(
      int attempts,
      int attemptsOfAgent,
      int reassigns,
      boolean repeatable,
      boolean othersLeft,
      boolean higherLevel) {}

  public static Rung after(TaskFailure failure, Progress progress, RetryRules rules) {
    boolean inDoubt = !failure.settled() && !progress.repeatable();
    if (inDoubt || progress.attempts() >= ATTEMPTS_MAX) {
      return Rung.GIVE_UP;
    }
    if (failure.isRetryable() && progress.attemptsOfAgent() < rules.maxAttempts()) {
      return Rung.RETRY;
    }
    int reassignsMax = failure.code() == FailureCode.ACTION_NOT_SUPPORTED ? 1 : REASSIGNS_MAX;
    if (!failure.isReassignable()) {
      return Rung.GIVE_UP;
    }
    if (progress.othersLeft() && progress.reassigns() < reassignsMax) {
      return Rung.REASSIGN;
    }
    return progress.higherLevel() ? Rung.ESCALATE : Rung.GIVE_UP;
  }
}
