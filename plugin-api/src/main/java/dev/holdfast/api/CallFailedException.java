package dev.holdfast.api;

/** Carries a foreseen {@link Failure} out of a call. Anything else that is thrown is a bug. */
public class CallFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  public CallFailedException(Failure failure) {
    super(failure.summary());
    this.failure = failure;
  }

  public CallFailedException(Failure failure, Throwable cause) {
    super(failure.summary(), cause);
    this.failure = failure;
  }

  public final Failure failure() {
    return failure;
  }

  public boolean isPassing() {
    return failure.isPassing();
  }
}
