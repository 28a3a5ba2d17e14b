package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.bus.News;
import dev.holdfast.store.ledgers.Approval;
import java.time.Instant;
import java.util.Locale;
import java.util.regex.Pattern;

/** What people and pages are shown of a call that waits for approval. */
public final class ApprovalPrompts {
  private static final int NAME_UNITS_MAX = 80;
  private static final Pattern MARKUP = Pattern.compile("[\\\\`*_{}\\[\\]()<>#|~!]");

  private ApprovalPrompts() {}

  static void opened(News news, Approval question) {
    var details =
        Entries.object()
            .put("approval_id", question.id())
            .put("execution", question.key())
            .put("code", question.code())
            .put("tool", question.tool())
            .put("label", question.shown())
            .put("arguments", question.arguments())
            .put("person", question.person())
            .put("asked_at", question.askedAt().toString())
            .put("expires_at", question.expiresAt().toString());
    news.publish("approval.asked", question.threadId(), question.eventId(), details.toString());
  }

  /** It waits no longer, whoever decided that. */
  static void closed(News news, Approval question, Approval.State state, String by) {
    var details =
        Entries.object()
            .put("approval_id", question.id())
            .put("state", state.name().toLowerCase(Locale.ROOT))
            .put("by", by);
    news.publish("approval.decided", question.threadId(), question.eventId(), details.toString());
  }

  /**
   * What a post with buttons says once its question is over: how it ended, in place of how to
   * answer.
   *
   * @param posted what it said before
   * @param who whoever decided it, for people; may be anything
   */
  public static String settled(Approval question, Instant now, String posted, String who) {
    String ending = ChatSentences.howToAnswer(question, true);
    String asked =
        posted.endsWith(ending) ? posted.substring(0, posted.length() - ending.length()) : posted;
    return asked + "\n" + outcome(question, now, plain(who));
  }

  private static String outcome(Approval question, Instant now, String who) {
    return switch (question.stateAt(now)) {
      case WAITING -> throw new IllegalArgumentException("the question waits");
      case APPROVED, USED -> "Approved by " + who + ".";
      case DENIED -> "Denied by " + who + ".";
      case EXPIRED ->
          now.isBefore(question.expiresAt()) ? "No longer needed." : "No answer in time.";
    };
  }

  /** What is a name and no markup, and no more of it than fits on a line. */
  private static String plain(String name) {
    int end = Math.min(name.length(), NAME_UNITS_MAX);
    boolean isCut = end > 0 && Character.isHighSurrogate(name.charAt(end - 1));
    String line = visible(name.substring(0, isCut ? end - 1 : end));
    return MARKUP.matcher(line).replaceAll("\\\\$0").replace('\n', ' ').replace('\t', ' ');
  }

  /**
   * Signs that change how a line looks without being seen, such as those that turn its direction
   * around, as JSON writes them: nobody says yes to something that looks like something else.
   */
  public static String visible(String text) {
    StringBuilder visible = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              int type = Character.getType(point);
              boolean hidden =
                  type == Character.FORMAT
                      || type == Character.LINE_SEPARATOR
                      || type == Character.PARAGRAPH_SEPARATOR
                      || type == Character.UNASSIGNED
                      || type == Character.SURROGATE
                      || (type == Character.CONTROL && point != '\n' && point != '\t');
              if (hidden) {
                for (char unit : Character.toChars(point)) {
                  visible.append("\\u%04x".formatted((int) unit));
                }
              } else {
                visible.appendCodePoint(point);
              }
            });
    return visible.toString();
  }
}
