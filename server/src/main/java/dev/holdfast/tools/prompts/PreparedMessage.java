package dev.holdfast.tools.prompts;

/** What comes of a prompt. */
public sealed interface PreparedMessage {
  /**
   * @param text for the model, in place of the message that called for it
   */
  record Ready(String text) implements PreparedMessage {}

  /**
   * @param reason a sentence, for the model and the person
   */
  record Failed(String reason) implements PreparedMessage {}
}
