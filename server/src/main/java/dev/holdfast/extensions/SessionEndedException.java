package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;

/** A remote server has forgotten us, or lets us in no more: nothing further can succeed. */
final class SessionEndedException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  SessionEndedException(Failure failure) {
    super(failure);
  }
}
