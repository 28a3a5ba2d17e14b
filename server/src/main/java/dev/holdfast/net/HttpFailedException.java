package dev.holdfast.net;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;

/** A request got no whole answer. */
public final class HttpFailedException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  /**
   * @param surelyNotSent whether {@link Failure#isUnsent} holds for it
   */
  public HttpFailedException(Failure failure, boolean surelyNotSent) {
    super(surelyNotSent ? failure.unsent() : failure);
  }

  /** As the other one, with a cause. */
  public HttpFailedException(Failure failure, boolean surelyNotSent, Throwable cause) {
    super(surelyNotSent ? failure.unsent() : failure, cause);
  }

  /** True when not one byte of the request can have reached the other side: DNS, connect, TLS. */
  public boolean surelyNotSent() {
    return failure().isUnsent();
  }
}
