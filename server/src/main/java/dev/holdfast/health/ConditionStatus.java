package dev.holdfast.health;

import java.util.Locale;

/** How much a condition takes away. What that means for probes: {@link ProbeEffect}. */
public enum ConditionStatus {
  /** It is over. Only a change is told with it; nothing that lasts is. */
  OK,

  /** Less works than should, or slower. Probes stay as they are: {@code /ready} and 200. */
  DEGRADED,

  /** The thing does not work at all. Whether a probe answers 503 is up to its source. */
  FAILED;

  /** As it is written in JSON and as a label. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
