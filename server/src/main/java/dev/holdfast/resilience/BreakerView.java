package dev.holdfast.resilience;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A breaker as people see it.
 *
 * @param state closed, half_open or open
 * @param openUntil null unless it is open, and while it is open until it is reset by hand
 */
public record BreakerView(
    String name, String state, int consecutiveFailures, int opens, @Nullable Instant openUntil) {}
