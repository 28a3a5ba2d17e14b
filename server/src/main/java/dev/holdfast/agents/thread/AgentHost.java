package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.models.ModelsAwayException;
import java.time.Duration;
import java.time.Instant;

/**
 * What a thread agent asks of its surroundings. Thread-safe; {@link #parked}, {@link #asked},
 * {@link #probeEnded} and {@link #gone} are called under the agent's lock and must not call it.
 */
public interface AgentHost {
  /**
   * A turn of the thread waits for a model; the host will resume it. {@code sinceNanos}: when it
   * began to.
   */
  void parked(Incoming head, long sinceNanos, ModelTrials trials);

  /**
   * A run of the thread's turn has ended without an answer.
   *
   * @param alone whether models have answered others since its last failure
   */
  void modelFailed(String threadId, ModelsAwayException away, boolean alone);

  /** What models have done so far. */
  ModelTally tally();

  /** For how long no model could be reached; zero while one can be. */
  Duration awayFor();

  /**
   * A turn of the thread waits for a person's word, until then at most; the host will resume it.
   */
  void asked(String threadId, Instant until);

  /** The thread's turn was to find out whether a model is back, and ended without doing so. */
  void probeEnded(String threadId);

  /** A turn that was parked does not wait any more. */
  void gone(Incoming head);

  /** The number of the outage of now. */
  long outage();

  /** Whether no turn waits for a model any more, or all of them may try. */
  boolean modelsAreBack();

  /** A model has answered: whoever waits for one may try. */
  void modelAnswered();

  /** Whether turns may run at all. */
  boolean mayRunTurns();

  /** Obeys a command that does not wait its turn. Blocks until it is obeyed. */
  void obey(Incoming incoming);
}
