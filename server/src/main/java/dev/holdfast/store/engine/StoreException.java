package dev.holdfast.store.engine;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.time.Duration;

/**
 * The store could not do what was asked: it is full, read-only, closed, or the disk failed. Nothing
 * was changed.
 */
public final class StoreException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  public StoreException(Failure failure) {
    super(failure);
  }

  /** It may succeed after a wait. */
  public static StoreException overloaded(String message, int retrySeconds) {
    return new StoreException(
        Failure.of(FailureCode.OVERLOADED, message)
            .withRetryAfter(Duration.ofSeconds(retrySeconds)));
  }

  public StoreException(Failure failure, Throwable cause) {
    super(failure, cause);
  }
}
