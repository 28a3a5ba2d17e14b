package dev.holdfast.net;

import java.io.IOException;

/** A body that was still coming broke off, stalled or grew too long. */
public final class BodyFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final HttpFailedException failure;

  BodyFailedException(HttpFailedException failure) {
    super(failure.getMessage(), failure);
    this.failure = failure;
  }

  public HttpFailedException failure() {
    return failure;
  }
}
