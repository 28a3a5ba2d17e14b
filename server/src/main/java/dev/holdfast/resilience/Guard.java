package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;
import java.time.Duration;

/**
 * What every call to one named dependency goes through, outermost first: deadline, retry, pace, breaker, bulkhead.
 * Thread-safe; blocks the calling (virtual) thread.
 */
public final class Guard {
  Guard() {}

  /** The dependency, for example {@code llm:anthropic}. */
  public String name() {
    throw new UnsupportedOperationException();
  }

  /**
   * Runs {@code call} until it succeeds, fails for good, or the deadline is over. A rejection by the open breaker is not
   * retried: it comes out at once as {@code CIRCUIT_OPEN} with the time until the next probe as its retry-after.
   */
  public <T> T run(Deadline deadline, Call<T> call) throws CallFailedException, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** As {@link #run}, but one try only: the probe of whoever waits for the dependency to come back. */
  public <T> T probe(Deadline deadline, Call<T> call) throws CallFailedException, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /** How long until a call would be let through; zero when it would be now. Counts the breaker and the pace. */
  public Duration opensIn() {
    throw new UnsupportedOperationException();
  }
}
