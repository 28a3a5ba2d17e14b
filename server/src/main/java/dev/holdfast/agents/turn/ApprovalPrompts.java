package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.bus.News;
import dev.holdfast.store.ledgers.Approval;
import java.util.Locale;

/** What people and pages are shown of a call that waits for approval. */
public final class ApprovalPrompts {
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
