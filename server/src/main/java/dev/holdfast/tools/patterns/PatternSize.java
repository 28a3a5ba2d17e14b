package dev.holdfast.tools.patterns;

import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** How large a regular expression (RE2) becomes; known before it is compiled. */
public final class PatternSize {
  private static final Pattern COUNTS = Pattern.compile("\\{(\\d+)(?:,(\\d*))?\\}");
  private static final int DIGITS_MAX = 4;

  private PatternSize() {}

  /**
   * An upper bound of the compiled size. A count repeats what is before it; counts multiply only
   * when one is within the group that another repeats, so no more of them than there are groups,
   * and one.
   */
  public static long of(String text) {
    List<Long> counts =
        COUNTS
            .matcher(text)
            .results()
            .map(PatternSize::count)
            .sorted(Comparator.reverseOrder())
            .toList();
    long groups = text.chars().filter(c -> c == '(').count();
    long size = text.length();
    for (int i = 0; i < Math.min(groups + 1, counts.size()) && size < Integer.MAX_VALUE; i++) {
      size *= Math.max(1, counts.get(i));
    }
    return size;
  }

  private static long count(MatchResult count) {
    String upper =
        count.group(2) == null || count.group(2).isEmpty() ? count.group(1) : count.group(2);
    return Math.max(number(count.group(1)), number(upper));
  }

  private static long number(String digits) {
    return digits.length() > DIGITS_MAX ? Integer.MAX_VALUE : Long.parseLong(digits);
  }
}
