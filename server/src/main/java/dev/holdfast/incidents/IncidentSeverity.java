package dev.holdfast.incidents;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How bad an incident is. The names stand in the database. */
public enum IncidentSeverity {
  /** Good to know; nothing has to be done. */
  INFO,
  /** Something was lost or does not work; a person should look. */
  WARNING,
  /** The server itself failed, or data is damaged; a person has to look. */
  CRITICAL;

  /** As it is written in JSON, in metrics and in the database. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<IncidentSeverity> of(String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }
}
