package dev.holdfast.models;

import dev.holdfast.api.TokenUsage;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One request to a model, finished, failed or aborted.
 *
 * @param outcome {@code ok} or the failure's code in lower case
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
    Duration total) {}
