package dev.holdfast.plugins;

import java.util.Locale;

/** What has become of a plugin. */
public enum PluginState {
  /** Its gate is closed: something that it needs is not there. No class of it was loaded. */
  GATED,
  /** The operator has to approve it first. */
  WAITING,
  /** The operator has switched it off. */
  DISABLED,
  /** It is being started. */
  STARTING,
  /** It works. */
  READY,
  /** It was stopped, for it threw too often, hung or tried to end the server. */
  PARKED,
  /** It cannot be loaded or started as it is. */
  FAILED;

  /** As it is written in JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isRunning() {
    return this == READY || this == STARTING;
  }
}
