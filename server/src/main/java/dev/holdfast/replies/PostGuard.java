package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guard;
import java.time.Duration;

/** The part of a guard that posting needs. */
interface PostGuard {
  /** How long until a post would be let through. */
  Duration opensIn();

  /** One try. A rejection by the guard itself comes out without the call having been made. */
  <T> T probe(Deadline deadline, Call<T> call) throws CallFailedException, InterruptedException;

  /** The guard itself. */
  record OfGuard(Guard guard) implements PostGuard {
    @Override
    public Duration opensIn() {
      return guard.opensIn();
    }

    @Override
    public <T> T probe(Deadline deadline, Call<T> call)
        throws CallFailedException, InterruptedException {
      return guard.probe(deadline, call);
    }
  }
}
