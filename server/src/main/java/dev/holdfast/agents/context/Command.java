package dev.holdfast.agents.context;

import java.util.Locale;
import java.util.Optional;

/**
 * What a person may ask of the server instead of the model: a message that is one of these words
 * alone.
 *
 * @param argument what follows the word, for those that take something; else empty
 */
public record Command(Word word, String argument) {
  /** The words. */
  public enum Word {
    STOP("/stop", false),
    STOP_ALL("/stop all", false),
    NEW("/new", false),
    STATUS("/status", false),
    HELP("/help", false),
    APPROVE("/approve", true),
    DENY("/deny", true);

    private final String text;
    private final boolean takesArgument;

    Word(String text, boolean takesArgument) {
      this.text = text;
      this.takesArgument = takesArgument;
    }
  }

  /** Whether it is obeyed at once, ahead of the messages that wait. */
  boolean overtakes() {
    return word != Word.NEW;
  }

  /**
   * Case and surrounding space do not matter; anything more than the words is a message like any
   * other.
   */
  public static Optional<Command> of(String text) {
    if (!text.stripLeading().startsWith("/")) {
      return Optional.empty();
    }
    String said = text.strip().replaceAll("\\s+", " ");
    int space = said.indexOf(' ');
    for (Word word : Word.values()) {
      if (word.takesArgument
          && space > 0
          && said.lastIndexOf(' ') == space
          && said.substring(0, space).equalsIgnoreCase(word.text)) {
        return Optional.of(new Command(word, said.substring(space + 1)));
      }
      if (!word.takesArgument && said.toLowerCase(Locale.ROOT).equals(word.text)) {
        return Optional.of(new Command(word, ""));
      }
    }
    return Optional.empty();
  }
}
