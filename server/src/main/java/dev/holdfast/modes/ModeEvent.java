package dev.holdfast.modes;

/** What a mode can follow from. */
sealed interface ModeEvent {
  /** The server has started. */
  record Booted(ModeFacts facts) implements ModeEvent {}

  /** The parts were looked at. */
  record Looked(ModeFacts facts) implements ModeEvent {}

  /** An operator stops the server. */
  record StopAsked() implements ModeEvent {}

  /** An operator lets it go on. */
  record GoOnAsked(ModeFacts facts) implements ModeEvent {}
}
