package dev.holdfast.training;

/** No cache was made; the server runs without it. The message says why, in one sentence. */
public final class TrainingFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  TrainingFailedException(String message) {
    super(message);
  }
}
