package dev.holdfast.agents;

import java.time.Instant;

/** A turn cannot go on before a person has said yes or no. */
final class WaitsForPersonException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Instant until;

  /** {@code until}: when the question is void. */
  WaitsForPersonException(String what, Instant until) {
    super(what);
    this.until = until;
  }

  Instant until() {
    return until;
  }
}
