package dev.holdfast.net;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;

/** A request got no whole answer. */
public final class HttpFailedException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  private final boolean surelyNotSent;

  public HttpFailedException(Failure failure, boolean surelyNotSent) {
    super(failure);
    this.surelyNotSent = surelyNotSent;
  }

  public HttpFailedException(Failure failure, boolean surelyNotSent, Throwable cause) {
    super(failure, cause);
    this.surelyNotSent = surelyNotSent;
  }

  /** True when not one byte of the request can have reached the other side: DNS, connect, TLS. */
  public boolean surelyNotSent() {
    return surelyNotSent;
  }
}
