package dev.holdfast.modes;

import java.time.Duration;

/** A part of the server that does not work, and for how long it has not. */
public record DownPart(String name, Duration since) {
  /** The name of the models as a part. */
  public static final String MODELS = "models";

  /** The name of what gives out tasks as a part: conversations go on without it. */
  public static final String TASKS = "tasks";

  boolean isCritical() {
    return !name.equals(TASKS);
  }
}
