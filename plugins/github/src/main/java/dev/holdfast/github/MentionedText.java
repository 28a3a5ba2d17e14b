package dev.holdfast.github;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wrote, and whether it mentions the account.
 *
 * @param text without the mentions of the account; as it was written when there are none
 */
record MentionedText(String text, boolean isMentioned) {
  /**
   * Looks for {@code @name} outside of code and quotes, in upper or lower case. Time is linear in
   * the text.
   */
  static MentionedText of(String written, String name) {
    String mention = "@" + name;
    @Nullable BitSet silent = null;
    StringBuilder left = new StringBuilder();
    int copied = 0;
    int at = written.indexOf('@');
    while (at >= 0) {
      if (isMention(written, at, mention)) {
        silent = silent == null ? silent(written) : silent;
        if (!silent.get(at)) {
          left.append(written, copied, at);
          copied = behind(written, at, at + mention.length());
        }
      }
      at = written.indexOf('@', at + 1);
    }
    return copied == 0
        ? new MentionedText(written, false)
        : new MentionedText(
            left.append(written, copied, written.length()).toString().strip(), true);
  }

  private static boolean isMention(String text, int at, String mention) {
    int end = at + mention.length();
    return text.regionMatches(true, at, mention, 0, mention.length())
        && (at == 0 || !isOfWord(text.charAt(at - 1)))
        && (end == text.length() || !isOfWord(text.charAt(end)));
  }

  /** What makes another name, an address or a team of it. */
  private static boolean isOfWord(char unit) {
    return Character.isLetterOrDigit(unit) || "_-/@".indexOf(unit) >= 0;
  }

  /** Where names mention nobody. */
  private static BitSet silent(String text) {
    BitSet silent = MarkdownCode.of(text);
    int at = 0;
    while (at < text.length()) {
      int newline = text.indexOf('\n', at);
      int end = newline < 0 ? text.length() : newline + 1;
      int start = at;
      while (start < end && text.charAt(start) == ' ') {
        start++;
      }
      if (start < end && text.charAt(start) == '>') {
        silent.set(at, end);
      }
      at = end;
    }
    return silent;
  }

  /** What goes on behind a name: without the mark after it, and without a second space. */
  private static int behind(String text, int start, int end) {
    int at = end;
    boolean isMarked =
        at < text.length()
            && (text.charAt(at) == ':' || text.charAt(at) == ',')
            && (at + 1 == text.length() || Character.isWhitespace(text.charAt(at + 1)));
    at += isMarked ? 1 : 0;
    boolean isBegin = start == 0 || Character.isWhitespace(text.charAt(start - 1));
    while (isBegin && at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
    return at;
  }
}
