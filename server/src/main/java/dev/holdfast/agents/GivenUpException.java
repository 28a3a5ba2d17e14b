package dev.holdfast.agents;

/** A thread came back after it was given up: what it wanted to do is not done any more. */
final class GivenUpException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  GivenUpException() {
    super("this thread was given up");
  }
}
