package dev.holdfast.health;

/** What a {@link ConditionStatus#FAILED} condition of a source does to the probes. */
public enum ProbeEffect {
  /** It is shown, and {@code /live} and {@code /ready} stay 200. */
  NONE,

  /** New messages cannot be taken: {@code /ready} and {@code /health} are 503. */
  READINESS,

  /** Only a restart helps: {@code /live} and {@code /health} are 503, systemd's watchdog fires. */
  LIVENESS
}
