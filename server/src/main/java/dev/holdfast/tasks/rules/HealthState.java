package dev.holdfast.tasks.rules;

/** How well a worker agent does. */
public enum HealthState {
  HEALTHY,

  /** Its last tasks have failed, fewer of them than open its circuit. */
  DEGRADED,

  /** Its circuit has opened. */
  UNHEALTHY
}
