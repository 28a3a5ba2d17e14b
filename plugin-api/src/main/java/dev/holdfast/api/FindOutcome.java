package dev.holdfast.api;

import java.util.Objects;

/** What a look into a platform's history says of a reply whose answer was lost. */
public sealed interface FindOutcome {
  /** It arrived. {@code platformId}: as in {@link PostOutcome.Sent}. */
  record Found(String platformId) implements FindOutcome {
    public Found {
      platformId = new PostOutcome.Sent(platformId).platformId();
    }
  }

  /** It surely did not arrive, and will not: it is posted again. */
  record Absent() implements FindOutcome {}

  /**
   * Nothing can be said. After a passing failure the server looks again; after any other it does
   * without.
   */
  record Failed(Failure failure) implements FindOutcome {
    public Failed {
      Objects.requireNonNull(failure, "failure");
    }
  }
}
