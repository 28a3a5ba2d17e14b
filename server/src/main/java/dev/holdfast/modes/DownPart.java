package dev.holdfast.modes;

import java.time.Duration;

/** A critical part of the server that does not work, and for how long it has not. */
public record DownPart(String name, Duration since) {
  /** The name of the models as a part. */
  public static final String MODELS = "models";
}
