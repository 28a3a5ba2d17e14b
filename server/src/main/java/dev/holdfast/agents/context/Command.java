package dev.holdfast.agents.context;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a person may ask of the server instead of the model: a message that is one of these words
 * alone.
 *
 * @param argument what follows the word, for those that take one more word; else empty
 */
public record Command(Word word, String argument) {
  /** In UTF-16 units. Far more than a code has; commands are kept in memory while they wait. */
  private static final int ARGUMENT_MAX = 64;

  private static final Pattern ADDRESS = Pattern.compile("^(/[a-z]+)@[\\w.-]+", CASE_INSENSITIVE);

  /** What follows a word. */
  private enum Argument {
    NONE,
    ONE_WORD,
    ANYTHING
  }

  /** The words; the first one that fits counts. */
  public enum Word {
    STOP("/stop", Argument.NONE),
    STOP_ALL("/stop all", Argument.NONE),
    /** Whoever says this wants something stopped, and no model can do that. */
    STOP_WITH_MORE("/stop", Argument.ANYTHING),
    NEW("/new", Argument.NONE),
    STATUS("/status", Argument.NONE),
    HELP("/help", Argument.NONE),
    APPROVE("/approve", Argument.ONE_WORD),
    DENY("/deny", Argument.ONE_WORD);

    private final String text;
    private final Argument takes;

    Word(String text, Argument takes) {
      this.text = text;
      this.takes = takes;
    }
  }

  /** Whether it is obeyed at once, ahead of the messages that wait. */
  boolean overtakes() {
    return word != Word.NEW;
  }

  /**
   * Case and surrounding space do not matter, nor does the name of a bot behind the word, as in
   * {@code /stop@bot}. Anything more than a word takes is a message like any other.
   */
  public static Optional<Command> of(String text) {
    if (!text.stripLeading().startsWith("/")) {
      return Optional.empty();
    }
    String said = ADDRESS.matcher(text.strip().replaceAll("\\s+", " ")).replaceFirst("$1");
    return Stream.of(Word.values()).flatMap(word -> as(word, said).stream()).findFirst();
  }

  private static Optional<Command> as(Word word, String said) {
    int end = word.takes == Argument.NONE ? said.length() : said.indexOf(' ');
    if (end < 0 || !said.substring(0, end).equalsIgnoreCase(word.text)) {
      return Optional.empty();
    }
    if (word.takes != Argument.ONE_WORD) {
      return Optional.of(new Command(word, ""));
    }
    String argument = said.substring(end).strip();
    return argument.contains(" ") || argument.length() > ARGUMENT_MAX
        ? Optional.empty()
        : Optional.of(new Command(word, argument));
  }
}
