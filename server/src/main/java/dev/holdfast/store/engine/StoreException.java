package dev.holdfast.store.engine;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;

/**
 * The store could not do what was asked: it is full, read-only, closed, or the disk failed. Nothing
 * was changed.
 */
public final class StoreException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  public StoreException(Failure failure) {
    super(failure);
  }

  public StoreException(Failure failure, Throwable cause) {
    super(failure, cause);
  }
}
