package dev.holdfast.github;

import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.StoredFile;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a comment with a reply says. */
final class PostedText {
  /** In UTF-16 units; GitHub takes 65,536, and what mentions people becomes longer. */
  static final int UNITS_MAX = 30_000;

  private static final int FILES_NAMED = 20;
  private static final int NAME_UNITS_MAX = 100;

  /** Nobody sees it, and GitHub takes no name behind an at sign that has it. */
  private static final char ZERO_WIDTH_SPACE = '\u200B';

  /** Of a link as GitHub finds it, up to what may end one; a name in it mentions nobody. */
  private static final Pattern LINK =
      Pattern.compile(
          "(?<![^\\s*_~(<])https?://[A-Za-z0-9-]{1,63}\\.[A-Za-z0-9]"
              + "[^\\s<>()\\[\\]\"'`*|\\\\]*");

  /** A line that may begin a block of HTML, in which marks of code mean nothing. */
  private static final Pattern HTML_LINE =
      Pattern.compile("^[ \\t>*+.)0-9-]*<[A-Za-z/!?]", Pattern.MULTILINE);

  private PostedText() {}

  /** The text, what is said of its files, and the id of the reply, which people do not see. */
  static String of(OutboundReply reply) {
    String note = note(reply.files());
    String text = withoutMentions(reply.text() + MarkdownCode.closing(reply.text()));
    String said = note.isEmpty() ? text : (text + "\n\n" + note).strip();
    return said + "\n\n" + marker(reply.id());
  }

  /** The end of the comment with the reply of this id. */
  static String marker(String replyId) {
    return "<!-- holdfast:" + replyId.replaceAll("[^A-Za-z0-9._:-]", "_") + " -->";
  }

  /** Outside of code and links, a name behind an at sign would send somebody a notice. */
  static String withoutMentions(String text) {
    if (text.indexOf('@') < 0) {
      return text;
    }
    BitSet code = HTML_LINE.matcher(text).find() ? new BitSet() : MarkdownCode.of(text);
    Matcher link = LINK.matcher(text);
    while (link.find()) {
      code.set(link.start(), link.end());
    }
    StringBuilder safe = new StringBuilder(text.length() + 16);
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      safe.append(unit);
      if (unit == '@' && !code.get(at) && isBeforeName(text, at)) {
        safe.append(ZERO_WIDTH_SPACE);
      }
    }
    return safe.toString();
  }

  private static boolean isBeforeName(String text, int at) {
    boolean isMailAddress = at > 0 && isOfName(text.charAt(at - 1));
    return !isMailAddress && at + 1 < text.length() && isOfName(text.charAt(at + 1));
  }

  private static boolean isOfName(char unit) {
    return (unit >= 'a' && unit <= 'z')
        || (unit >= 'A' && unit <= 'Z')
        || (unit >= '0' && unit <= '9');
  }

  private static String note(List<StoredFile> files) {
    if (files.isEmpty()) {
      return "";
    }
    String names =
        files.stream()
            .limit(FILES_NAMED)
            .map(file -> "`" + shown(file.name()) + "`")
            .collect(Collectors.joining(", "));
    String more =
        files.size() > FILES_NAMED ? " and %d more".formatted(files.size() - FILES_NAMED) : "";
    return "(Not sent, because GitHub takes no files from programs: " + names + more + ")";
  }

  private static String shown(String name) {
    return name.substring(0, Math.min(name.length(), NAME_UNITS_MAX)).replaceAll("[\\p{C}`]", "_");
  }
}
