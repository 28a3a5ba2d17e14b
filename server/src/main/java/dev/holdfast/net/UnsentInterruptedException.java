package dev.holdfast.net;

/** A request was given up by an interrupt before one byte of it can have reached the other side. */
public final class UnsentInterruptedException extends InterruptedException {
  private static final long serialVersionUID = 1L;

  public UnsentInterruptedException() {
    super("interrupted before the request was sent");
  }
}
