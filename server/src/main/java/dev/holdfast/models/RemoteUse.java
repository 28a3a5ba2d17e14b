package dev.holdfast.models;

/** How the models that do not run on this machine are used for a question. */
public enum RemoteUse {
  /** As the level names them, with retries. */
  FREE,
  /** One try each where a local model can take over. */
  SPARING,
  /** Not at all. */
  NONE
}
