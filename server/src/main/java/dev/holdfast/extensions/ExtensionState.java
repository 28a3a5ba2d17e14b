package dev.holdfast.extensions;

/** Where an extension is in its life. */
public enum ExtensionState {
  /** Nothing runs; the next call starts it. An action is always idle between its calls. */
  IDLE,
  STARTING,
  READY,
  /** It has ended and is started again soon. */
  RESTARTING,
  /** It has ended too often, or cannot be started as it is configured; tried again slowly. */
  PARKED,
  STOPPED
}
