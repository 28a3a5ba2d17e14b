package dev.holdfast.tools.prompts;

import java.time.Duration;

/** A prompt that a message calls for. */
public interface CalledPrompt {
  /** How long it takes to be had, at most. */
  Duration timeout();

  /** Blocks. */
  PreparedMessage prepare() throws InterruptedException;
}
