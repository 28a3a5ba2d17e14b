package dev.holdfast.models;

import dev.holdfast.api.TokenUsage;
import dev.holdfast.store.ledgers.ModelCallRow;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One request to a model, finished, failed or aborted.
 *
 * @param outcome {@code ok}, {@code cancelled} when it was aborted, or the failure's code in lower
 *     case
 * @param costUsd an estimate by the price list; 0 when no price is known
 * @param firstToken null when no token came
 */
public record ModelCall(
    Instant at,
    String provider,
    String model,
    String outcome,
    TokenUsage usage,
    double costUsd,
    @Nullable Duration firstToken,
    Duration total) {
  static final String OK = "ok";
  static final String CANCELLED = "cancelled";

  /** As the ledger of what was spent keeps it; both ids may be empty. */
  public ModelCallRow row(String eventId, String threadId) {
    return new ModelCallRow(
        eventId,
        threadId,
        at,
        provider,
        model,
        outcome,
        usage.input(),
        usage.output(),
        usage.cacheRead(),
        usage.cacheWrite(),
        costUsd,
        firstToken == null ? -1 : firstToken.toMillis(),
        total.toMillis());
  }

  ModelCall withCost(double usd) {
    return new ModelCall(at, provider, model, outcome, usage, usd, firstToken, total);
  }
}
