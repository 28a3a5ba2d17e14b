package dev.holdfast.tools.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.holdfast.tools.patterns.PatternSize;
import java.util.Optional;

/** A regular expression of a schema, matched in time linear in the text (RE2). */
final class SchemaPattern {
  private static final int LENGTH_MAX = 4000;
  private static final long SIZE_MAX = 100_000;

  /** What ECMA-262 calls white space and ends of lines, as they stand in a class. */
  private static final String BLANKS =
      "\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

  private static final String NO_BLANKS =
      "\0-\u0008\u000e-\u001f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
          + "\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\udbff\udfff";

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
          : Optional.of(new SchemaPattern(Pattern.compile(translated(text))));
    } catch (PatternSyntaxException _) {
      return isKnownElsewhere(text);
    }
  }

  /**
   * In the words of RE2 what ECMA-262 means by blanks, and by a bracket in a class: there are no
   * names of classes in it such as {@code [:alpha:]}.
   */
  private static String translated(String text) {
    if (text.contains("\\Q")) {
      return text; // not of ECMA-262 either, and what follows it is none of our business
    }
    StringBuilder all = new StringBuilder();
    boolean inClass = false;
    int firstOfClass = -1; // where a closing bracket is a member of it
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      if (at == '\\' && i + 1 < text.length()) {
        char next = text.charAt(++i);
        String set = next == 's' ? BLANKS : next == 'S' ? NO_BLANKS : "";
        all.append(set.isEmpty() ? "\\" + next : inClass ? set : "[" + set + "]");
      } else if (at == '[' && inClass) {
        all.append("\\[");
      } else {
        if (at == '[') {
          inClass = true;
          firstOfClass = text.startsWith("^", i + 1) ? i + 2 : i + 1;
        } else if (at == ']' && i != firstOfClass) {
          inClass = false;
        }
        all.append(at);
      }
    }
    return all.toString();
  }

  private static Optional<SchemaPattern> isKnownElsewhere(String text)
      throws SchemaRefusedException {
    try {
      String plain =
          text.replaceAll("(\\\\[pP])\\{\\w+(=\\w+)?}", "$1L"); // Java has other names for them
      java.util.regex.Pattern _ = java.util.regex.Pattern.compile(plain);
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
