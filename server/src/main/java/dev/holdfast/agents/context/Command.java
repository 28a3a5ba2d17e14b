package dev.holdfast.agents.context;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a person may ask of the server instead of the model: a message that is one of these words
 * alone, or an answer.
 *
 * @param argument what follows the word, for those that take more; else empty
 */
public record Command(Word word, String argument) {
  /** In UTF-16 units. Far more than a code has; commands are kept in memory while they wait. */
  private static final int ARGUMENT_MAX = 64;

  /** In UTF-16 units, of a code and the text behind it; of a longer one, one unit more is kept. */
  public static final int TEXT_MAX = 2000;

  private static final Pattern ADDRESS = Pattern.compile("^(/[a-z]+)@[\\w.-]+", CASE_INSENSITIVE);

  /** What follows a word. */
  private enum Argument {
    NONE,
    ONE_WORD,
    /** A code, and any text behind it. */
    TEXT,
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
    PLAN("/plan", Argument.TEXT),
    PLAN_OF_NOTHING("/plan", Argument.NONE),
    PLANS("/plans", Argument.NONE),
    CANCEL("/cancel", Argument.NONE),
    CANCEL_ONE("/cancel", Argument.ONE_WORD),
    HELP("/help", Argument.NONE),
    ANSWER("/answer", Argument.TEXT),
    APPROVE("/approve", Argument.ONE_WORD),
    DENY("/deny", Argument.ONE_WORD),
    /** What the server tells people itself; nobody can say it. */
    NOTICE("", Argument.NONE);

    private final String text;
    private final Argument takes;

    Word(String text, Argument takes) {
      this.text = text;
      this.takes = takes;
    }
  }

  /**
   * @param text what people read
   */
  static Command notice(String text) {
    return new Command(Word.NOTICE, text);
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
    return Stream.of(Word.values()).flatMap(word -> as(word, said, text).stream()).findFirst();
  }

  /** As it was written: its lines matter. */
  private static String behindWord(String text) {
    String rest = text.strip().replaceFirst("^\\S+\\s+", "");
    return rest.substring(0, Math.min(rest.length(), TEXT_MAX + 1));
  }

  private static Optional<Command> as(Word word, String said, String text) {
    int end = word.takes == Argument.NONE ? said.length() : said.indexOf(' ');
    if (end < 0 || !said.substring(0, end).equalsIgnoreCase(word.text)) {
      return Optional.empty();
    }
    if (word.takes != Argument.ONE_WORD) {
      return Optional.of(new Command(word, word.takes == Argument.TEXT ? behindWord(text) : ""));
    }
    String argument = said.substring(end).strip();
    return argument.contains(" ") || argument.length() > ARGUMENT_MAX
        ? Optional.empty()
        : Optional.of(new Command(word, argument));
  }
}
