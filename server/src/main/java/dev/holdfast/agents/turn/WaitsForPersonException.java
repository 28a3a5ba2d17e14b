package dev.holdfast.agents.turn;

import java.time.Instant;

/** A turn cannot go on before a person has said yes or no. */
public final class WaitsForPersonException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Instant until;

  /** {@code until}: when the question is void. */
  WaitsForPersonException(String what, Instant until) {
    super(what);
    this.until = until;
  }

  public Instant until() {
    return until;
  }
}
