package dev.holdfast.tools.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.holdfast.tools.patterns.PatternSize;
import java.util.Optional;

/** A regular expression of a schema, matched in time linear in the text (RE2). */
final class SchemaPattern {
  private static final int LENGTH_MAX = 4000;
  private static final long SIZE_MAX = 100_000;

  private final Pattern pattern;

  /** What one character costs. */
  private final int steps;

  private SchemaPattern(Pattern pattern) {
    this.pattern = pattern;
    this.steps = 1 + pattern.programSize() / 8;
  }

  /**
   * Empty for what is too large or what only other engines match: whoever declares it checks it.
   */
  static Optional<SchemaPattern> of(String text) throws SchemaRefusedException {
    if (text.length() > LENGTH_MAX) {
      return Optional.empty();
    }
    try {
      return PatternSize.of(text) > SIZE_MAX
          ? isKnownElsewhere(text)
          : Optional.of(new SchemaPattern(Pattern.compile(text)));
    } catch (PatternSyntaxException _) {
      return isKnownElsewhere(text);
    }
  }

  private static Optional<SchemaPattern> isKnownElsewhere(String text)
      throws SchemaRefusedException {
    try {
      java.util.regex.Pattern _ = java.util.regex.Pattern.compile(text);
      return Optional.empty();
    } catch (java.util.regex.PatternSyntaxException e) {
      throw new SchemaRefusedException(
          "has a pattern that is no regular expression: " + JsonValues.shortened(text));
    }
  }

  boolean isIn(String text, Evaluation run) {
    return pattern.matcher(new Counted(text, run, steps)).find();
  }

  /** A text each of whose characters costs when it is looked at. */
  private record Counted(String text, Evaluation run, int steps) implements CharSequence {
    @Override
    public char charAt(int index) {
      run.steps(steps);
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
