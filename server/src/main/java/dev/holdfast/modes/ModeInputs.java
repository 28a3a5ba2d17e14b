package dev.holdfast.modes;

/** Knows how the parts of the server are. Asked once a second. */
@FunctionalInterface
public interface ModeInputs {
  ModeFacts look();
}
