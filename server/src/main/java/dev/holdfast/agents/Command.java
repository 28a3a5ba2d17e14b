package dev.holdfast.agents;

import java.util.Locale;
import java.util.Optional;

/** What a person may ask of the server instead of the model: a message that is one of these words alone. */
public enum Command {
  STOP("/stop", true),
  STOP_ALL("/stop all", true),
  NEW("/new", false),
  STATUS("/status", true),
  HELP("/help", true);

  private final String words;
  private final boolean overtakes;

  Command(String words, boolean overtakes) {
    this.words = words;
    this.overtakes = overtakes;
  }

  /** Whether it is obeyed at once, ahead of the messages that wait. */
  boolean overtakes() {
    return overtakes;
  }

  /** Case and surrounding space do not matter; anything more than the words is a message like any other. */
  public static Optional<Command> of(String text) {
    if (!text.stripLeading().startsWith("/")) {
      return Optional.empty();
    }
    String said = text.strip().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    for (Command command : values()) {
      if (command.words.equals(said)) {
        return Optional.of(command);
      }
    }
    return Optional.empty();
  }
}
