package dev.holdfast.channels;

/**
 * What a message of the web channel may say besides its words.
 *
 * @param supersedes the event from which on this message replaces what was said, up to itself;
 *     empty: nothing
 * @param level whose models are to answer; empty: those of the default level
 */
public record MessageOptions(String supersedes, String level) {
  public static final MessageOptions NONE = new MessageOptions("", "");

  /** Whether it takes the place of something. */
  public boolean replaces() {
    return !supersedes.isEmpty();
  }
}
