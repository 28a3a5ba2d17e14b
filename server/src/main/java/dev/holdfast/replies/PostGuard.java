package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.resilience.Guard;
import dev.holdfast.resilience.Verdict;
import io.vertx.circuitbreaker.CircuitBreakerState;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/** The part of a guard that posting needs. */
interface PostGuard {
  /** How long until a post would be let through. */
  Duration opensIn();

  /** How much of the time since then the platform has asked for. */
  Duration pacedSince(Instant since);

  /** Whether posts go out one by one, as trials, because those before failed. */
  boolean isTrying();

  /**
   * One try. A rejection by the guard itself comes out without the call having been made.
   *
   * @param judge says what a failure of the call means
   */
  <T> T probe(Deadline deadline, Call<T> call, Function<Failure, Verdict> judge)
      throws CallFailedException, InterruptedException;

  /** The guard itself. */
  record OfGuard(Guard guard) implements PostGuard {
    @Override
    public Duration opensIn() {
      return guard.opensIn();
    }

    @Override
    public Duration pacedSince(Instant since) {
      return guard.pacedSince(since);
    }

    @Override
    public boolean isTrying() {
      return guard.breaker().state() != CircuitBreakerState.CLOSED;
    }

    @Override
    public <T> T probe(Deadline deadline, Call<T> call, Function<Failure, Verdict> judge)
        throws CallFailedException, InterruptedException {
      return guard.probe(deadline, FlowKey.NONE, call, judge);
    }
  }
}
