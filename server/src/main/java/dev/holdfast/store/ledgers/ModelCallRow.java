package dev.holdfast.store.ledgers;

import java.time.Instant;

/**
 * One request to a model, finished, failed or aborted.
 *
 * @param outcome {@code ok} or the code of the failure in lower case
 * @param costUsd an estimate by the price list; 0 when no price is known
 * @param firstTokenMillis -1 when no token came
 */
public record ModelCallRow(
    String eventId,
    String threadId,
    Instant at,
    String provider,
    String model,
    String outcome,
    long inputTokens,
    long outputTokens,
    long cacheReadTokens,
    long cacheWriteTokens,
    double costUsd,
    long firstTokenMillis,
    long millis) {
  /** All kinds together, as budgets count them. */
  long tokens() {
    return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  }
}
