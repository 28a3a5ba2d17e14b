package dev.holdfast.store;

import java.time.Instant;
import java.util.List;

/** What was asked of models and what it cost. Thread-safe. */
public final class Usage {
  Usage() {}

  /** Written with the next commit, not waited for. */
  public void add(ModelCallRow row) {
    throw new UnsupportedOperationException(row.toString());
  }

  public List<ModelCallRow> ofEvent(String eventId) {
    throw new UnsupportedOperationException(eventId);
  }

  /** Sums by provider, model and outcome since {@code since}. */
  public List<Sum> sums(Instant since) {
    throw new UnsupportedOperationException(since.toString());
  }

  /** A sum over calls. */
  public record Sum(
      String provider,
      String model,
      String outcome,
      long calls,
      long inputTokens,
      long outputTokens,
      double costUsd) {}
}
