package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a note. */
final class ReadAction {
  private static final int LISTED_MAX = 200;

  private ReadAction() {}

  static Map<String, Object> run(ActionPayload payload, Vault vault)
      throws ActionRefusedException, IOException {
    Path file = vault.existing(payload.text("path"));
    Note note = Note.read(file);
    MarkdownOutline outline = new MarkdownOutline(note.text());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("path", vault.pathOf(file));
    data.put("hash", note.hash());
    data.put("modified", Files.getLastModifiedTime(file).toInstant().toString());
    try {
      data.put("front_matter", note.frontMatter().values());
    } catch (ActionRefusedException e) {
      data.put("front_matter_error", String.valueOf(e.getMessage()));
      data.put("front_matter_text", note.frontMatter().inner());
    }
    data.put("tags", NoteTags.of(note).stream().limit(LISTED_MAX).toList());
    List<Map<String, Object>> links =
        new MarkdownOutline(note.frontMatter().inner() + "\n" + note.text()).links();
    data.put("links", links.stream().limit(LISTED_MAX).toList());
    if (links.size() > LISTED_MAX) {
      data.put("links_count", links.size());
    }
    data.put(
        "text",
        payload.has("heading") ? outline.section(payload.text("heading")).content() : note.text());
    return data;
  }
}
