package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tags of a note: those of its front matter, and those in its text. */
final class NoteTags {
  private NoteTags() {}

  static Set<String> of(Note note) {
    Set<String> tags = new LinkedHashSet<>();
    try {
      Map<String, Object> values = note.frontMatter().values();
      for (String key : List.of("tags", "tag")) {
        add(values.get(key), tags);
      }
    } catch (ActionRefusedException _) {
      // A front matter that cannot be read has no tags; a read of the note says why.
    }
    tags.addAll(new MarkdownOutline(note.text()).tags());
    return tags;
  }

  private static void add(@Nullable Object value, Set<String> tags) {
    if (value instanceof List<?> list) {
      list.forEach(item -> add(item, tags));
    } else if (value instanceof String text) {
      for (String tag : text.split("[,\\s]+", -1)) {
        String plain = tag.startsWith("#") ? tag.substring(1) : tag;
        if (!plain.isEmpty()) {
          tags.add(plain);
        }
      }
    }
  }

  /** Whether one of them is the wanted one, or below it. */
  static boolean has(Set<String> tags, String wanted) {
    String plain = (wanted.startsWith("#") ? wanted.substring(1) : wanted).toLowerCase(Locale.ROOT);
    return tags.stream()
        .map(tag -> tag.toLowerCase(Locale.ROOT))
        .anyMatch(tag -> tag.equals(plain) || tag.startsWith(plain + "/"));
  }
}
