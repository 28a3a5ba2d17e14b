package dev.holdfast.modes;

import java.util.Locale;

/**
 * How much the server does, most first: each mode withholds what the one before it withholds.
 * Messages are accepted and kept in every mode, and replies that are planned are posted.
 */
public enum Mode {
  FULL(true, false, true, true),
  REDUCED_AGENTS(true, false, true, true),
  RECOVERY(true, false, true, false),
  LIMITED_API(true, true, true, false),
  MINIMAL(true, true, false, false),
  SAFE(false, true, false, false);

  private final boolean runsTurns;
  private final boolean sparesRemoteModels;
  private final boolean startsTasks;
  private final boolean startsStrategicTasks;

  Mode(
      boolean runsTurns,
      boolean sparesRemoteModels,
      boolean startsTasks,
      boolean startsStrategicTasks) {
    this.runsTurns = runsTurns;
    this.sparesRemoteModels = sparesRemoteModels;
    this.startsTasks = startsTasks;
    this.startsStrategicTasks = startsStrategicTasks;
  }

  /** For machines. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether turns run, and with them models and tools. */
  public boolean runsTurns() {
    return runsTurns;
  }

  /** Whether a local model, where there is one, takes over after one try of the remote ones. */
  public boolean sparesRemoteModels() {
    return sparesRemoteModels;
  }

  /**
   * What it means for remote models, for machines: {@code free}, {@code sparing} or {@code none}.
   */
  public String remoteModels() {
    return !runsTurns ? "none" : sparesRemoteModels ? "sparing" : "free";
  }

  public boolean startsTasks() {
    return startsTasks;
  }

  /** Whether tasks of the strategic level start; else they are deferred. */
  public boolean startsStrategicTasks() {
    return startsStrategicTasks;
  }
}
