package dev.holdfast.health;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a source says of one thing now; {@link Conditions} makes a {@link Condition} of it, whose
 * components these are.
 *
 * @param subject which one of the source's family; empty when there is only one
 */
public record ConditionReport(
    String subject,
    ConditionStatus status,
    String reason,
    String message,
    @Nullable Instant nextAttemptAt,
    String exitRule) {

  public static ConditionReport degraded(String reason, String message, String exitRule) {
    return new ConditionReport("", ConditionStatus.DEGRADED, reason, message, null, exitRule);
  }

  public static ConditionReport failed(String reason, String message, String exitRule) {
    return new ConditionReport("", ConditionStatus.FAILED, reason, message, null, exitRule);
  }

  public ConditionReport about(String which) {
    return new ConditionReport(which, status, reason, message, nextAttemptAt, exitRule);
  }

  public ConditionReport withNextAttemptAt(@Nullable Instant at) {
    return new ConditionReport(subject, status, reason, message, at, exitRule);
  }
}
