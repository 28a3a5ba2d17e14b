package dev.holdfast.tools.files;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.holdfast.time.Time;
import dev.holdfast.tools.patterns.PatternSize;
import java.time.Duration;

/**
 * A regular expression of a model. It is matched in time linear in the text (RE2), its size is
 * bounded before it is compiled, and the clock is looked at with every character.
 */
final class SearchPattern {
  static final int LENGTH_MAX = 1000;

  /** Steps of the compiled expression, at most, for each character of the text. */
  private static final int SIZE_MAX = 100_000;

  private final Pattern pattern;
  private final Time time;
  private final long end;

  /** Its time is over. */
  static final class TimeOverException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TimeOverException() {
      super("time over", null, false, false);
    }
  }

  private SearchPattern(Pattern pattern, Time time, Duration limit) {
    this.pattern = pattern;
    this.time = time;
    this.end = time.nanos() + limit.toNanos();
  }

  /**
   * @param limit of all matching with it
   */
  static SearchPattern of(String text, Time time, Duration limit) throws FileFailedException {
    if (text.length() > LENGTH_MAX || PatternSize.of(text) > SIZE_MAX) {
      throw FileFailedException.refused("the pattern is too large");
    }
    try {
      return new SearchPattern(Pattern.compile(text), time, limit);
    } catch (PatternSyntaxException e) {
      throw FileFailedException.refused(
          "the pattern is not a valid regular expression (RE2: no lookaround, no backreferences): "
              + e.getMessage());
    }
  }

  /**
   * @throws TimeOverException when its time is over, or the thread was interrupted
   */
  boolean isIn(String line) {
    return pattern.matcher(new Watched(line)).find();
  }

  boolean isOver() {
    return Thread.currentThread().isInterrupted() || time.nanos() - end > 0;
  }

  /** Every character that the matcher asks for is a chance to stop it. */
  private final class Watched implements CharSequence {
    private final String text;

    Watched(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if (isOver()) {
        throw new TimeOverException();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int stop) {
      return text.subSequence(start, stop);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
