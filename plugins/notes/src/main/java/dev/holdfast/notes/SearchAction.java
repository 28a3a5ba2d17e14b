package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.notes.Vault.Listed;
import dev.holdfast.notes.Vault.Listing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds notes by words and tags. */
final class SearchAction {
  private static final int LIMIT = 20;
  private static final int LIMIT_MAX = 100;
  private static final int LINES_MAX = 3;
  private static final int LINE_UNITS_MAX = 240;
  private static final String TAG = "tag:";
  private static final Pattern PART = Pattern.compile("\"([^\"]*)\"|(\\S+)");

  private SearchAction() {}

  /** What is looked for, in lower case. */
  private record Query(List<String> words, List<String> tags) {
    static Query of(String text) throws ActionRefusedException {
      List<String> words = new ArrayList<>();
      List<String> tags = new ArrayList<>();
      Matcher part = PART.matcher(text.toLowerCase(Locale.ROOT));
      while (part.find()) {
        String word = part.group(1) == null ? part.group(2) : part.group(1);
        if (part.group(1) == null && word.startsWith(TAG)) {
          tags.add(word.substring(TAG.length()));
        } else if (!word.isBlank()) {
          words.add(word);
        }
      }
      if (words.isEmpty() && tags.isEmpty()) {
        throw new ActionRefusedException(
            ActionRefusedException.INVALID, "The query must have a word or a tag in it.");
      }
      return new Query(words, tags);
    }

    boolean matches(String path, Note note) {
      String all = (path + "\n" + note.content()).toLowerCase(Locale.ROOT);
      if (!words.stream().allMatch(all::contains)) {
        return false;
      }
      Set<String> found = tags.isEmpty() ? Set.of() : NoteTags.of(note);
      return tags.stream().allMatch(tag -> NoteTags.has(found, tag));
    }
  }

  static Map<String, Object> run(ActionPayload payload, Vault vault)
      throws ActionRefusedException, IOException {
    Query query = Query.of(payload.text("query"));
    int limit = payload.whole("limit", LIMIT, 1, LIMIT_MAX);
    Listing listing = vault.notes(vault.folder(payload.text("folder", "")));
    ReadBudget budget = new ReadBudget();
    List<Map<String, Object>> notes = new ArrayList<>();
    boolean isCut = listing.isCut();
    for (Listed each : listing.notes()) {
      if (notes.size() == limit || !budget.allows(each.bytes())) {
        isCut = true;
        break;
      }
      Optional<Note> note =
          budget.read(each.file()).filter(read -> query.matches(each.path(), read));
      note.ifPresent(found -> notes.add(found(each, found, query)));
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("notes", notes);
    if (budget.unreadable() > 0) {
      data.put("unreadable", budget.unreadable());
    }
    data.put("truncated", isCut);
    return data;
  }

  private static Map<String, Object> found(Listed listed, Note note, Query query) {
    List<Map<String, Object>> lines = new ArrayList<>();
    int number = 0;
    for (String line : note.content().lines().toList()) {
      number++;
      String lower = line.toLowerCase(Locale.ROOT);
      Optional<Integer> at =
          query.words().stream().map(lower::indexOf).filter(each -> each >= 0).findFirst();
      if (at.isPresent() && lines.size() < LINES_MAX) {
        lines.add(Map.of("line", number, "text", around(line, at.get())));
      }
    }
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("path", listed.path());
    found.put("modified", listed.modified().toString());
    found.put("lines", lines);
    return found;
  }

  private static String around(String line, int at) {
    if (line.length() <= LINE_UNITS_MAX) {
      return line;
    }
    int from = Math.clamp(at - LINE_UNITS_MAX / 3, 0, line.length() - LINE_UNITS_MAX);
    return "…" + line.substring(from, from + LINE_UNITS_MAX) + "…";
  }
}
