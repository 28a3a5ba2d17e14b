package dev.holdfast.agents.context;

/** A thread came back after it was given up: what it wanted to do is not done any more. */
public final class EpochOverException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EpochOverException() {
    super("this thread was given up");
  }
}
