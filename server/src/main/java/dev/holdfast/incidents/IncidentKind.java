package dev.holdfast.incidents;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What kind of thing went wrong. The names stand in the database. */
public enum IncidentKind {
  /** The last run of the server did not end with a clean stop. */
  UNCLEAN_START,
  /** A part of the server crashed more often than it is restarted. */
  GAVE_UP,
  /** An extension cannot be kept running. */
  EXTENSION_DOWN,
  /** A plugin was stopped for its faults, or cannot be loaded. */
  PLUGIN_DOWN,
  /** Damaged data was found and set aside. */
  DAMAGE,
  /** Events were given up because each of their runs ended in a crash. */
  EVENT_CRASHES,
  /** A worker agent has failed more often than not of late. */
  ERROR_RATE,
  /** The server does less than usual: parts of it fail, or somebody has stopped it. */
  MODE;

  /** As it is written in JSON, in metrics and in the database. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<IncidentKind> of(String label) {
    return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
  }
}
