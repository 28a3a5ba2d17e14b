package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/** A guard that a test opens and closes by hand. */
final class FakePostGuard implements PostGuard {
  private volatile Duration opensIn = Duration.ZERO;
  private volatile boolean rejects;

  void opensIn(Duration wait) {
    opensIn = wait;
  }

  /** Rejects at the door although it looked open, as when another caller's probe is under way. */
  void rejects(boolean whether) {
    rejects = whether;
  }

  @Override
  public Duration opensIn() {
    return opensIn;
  }

  @Override
  public Duration pacedSince(Instant since) {
    return Duration.ZERO;
  }

  @Override
  public boolean isTrying() {
    return rejects || opensIn.isPositive();
  }

  @Override
  public <T> T probe(Deadline deadline, Call<T> call, Function<Failure, Verdict> judge)
      throws CallFailedException, InterruptedException {
    if (rejects) {
      throw new CallFailedException(
          Failure.of(FailureCode.CIRCUIT_OPEN, "open").withRetryAfter(Duration.ofSeconds(2)));
    }
    return call.run();
  }
}
