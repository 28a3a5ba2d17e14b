package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.ActionRequest;
import dev.holdfast.notes.MarkdownOutline.Cut;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Changes a note. */
final class UpdateAction {
  private UpdateAction() {}

  static Map<String, Object> run(ActionRequest request, Vault vault, NoteWriter writer)
      throws ActionRefusedException, IOException {
    ActionPayload payload = request.payload();
    long texts = List.of("text", "append", "section").stream().filter(payload::has).count();
    if (texts > 1 || (texts == 0 && !payload.has("front_matter"))) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID,
          "Give one of text, append and section, or front_matter, or both.");
    }
    return writer.update(
        vault,
        payload.text("path"),
        request.key(),
        payload.text("if_hash", ""),
        before -> edited(before, payload));
  }

  private static Note edited(Note before, ActionPayload payload) throws ActionRefusedException {
    Note after = before;
    if (payload.has("text")) {
      after = before.withText(before.inItsLines(payload.text("text")));
    } else if (payload.has("append")) {
      after = before.withText(appended(before.text(), before.inItsLines(payload.text("append"))));
    } else if (payload.has("section")) {
      ActionPayload section = payload.object("section");
      Cut cut = new MarkdownOutline(before.text()).section(section.text("heading"));
      after = before.withText(before.inItsLines(replaced(cut, section.text("text"))));
    }
    if (before.frontMatter().isEmpty() && !FrontMatter.at(after.text()).isEmpty()) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID,
          "The text begins with front matter: give its keys as front_matter.");
    }
    Map<String, Object> values = payload.object("front_matter").values();
    return values.isEmpty()
        ? after
        : after.withFrontMatter(after.frontMatter().with(values, before.inItsLines("\n")));
  }

  private static String appended(String text, String more) {
    String newLine = more.contains("\r\n") || text.contains("\r\n") ? "\r\n" : "\n";
    String ended = text.isEmpty() || text.endsWith("\n") ? text : text + newLine;
    return ended + more + (more.endsWith("\n") ? "" : newLine);
  }

  /** The empty lines around a section stay. */
  private static String replaced(Cut cut, String text) {
    String before = cut.before().endsWith("\n") ? cut.before() : cut.before() + "\n";
    boolean isApart = cut.content().startsWith("\n") || cut.content().startsWith("\r\n");
    String plain = text.replace("\r\n", "\n").replaceAll("\\A\n+|\n+\\z", "");
    StringBuilder content = new StringBuilder(before);
    if (!plain.isEmpty()) {
      content.append(isApart ? "\n" : "").append(plain).append('\n');
    }
    return content.append(cut.after().isEmpty() ? "" : "\n").append(cut.after()).toString();
  }
}
