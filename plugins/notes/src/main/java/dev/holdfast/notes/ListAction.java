package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.notes.Vault.Listed;
import dev.holdfast.notes.Vault.Listing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lists notes. */
final class ListAction {
  private static final int LIMIT = 50;
  private static final int LIMIT_MAX = 200;
  private static final int TAGS_MAX = 50;

  private ListAction() {}

  static Map<String, Object> run(ActionPayload payload, Vault vault)
      throws ActionRefusedException, IOException {
    int limit = payload.whole("limit", LIMIT, 1, LIMIT_MAX);
    String tag = payload.text("tag", "");
    Listing listing = vault.notes(vault.folder(payload.text("folder", "")));
    ReadBudget budget = new ReadBudget();
    List<Map<String, Object>> notes = new ArrayList<>();
    boolean isCut = listing.isCut();
    for (Listed each : listing.notes()) {
      if (notes.size() == limit) {
        isCut = true;
        break;
      }
      if (!budget.allows(each.bytes())) {
        isCut = true;
        break;
      }
      Set<String> tags = budget.read(each.file()).map(NoteTags::of).orElse(Set.of());
      if (tag.isEmpty() || NoteTags.has(tags, tag)) {
        Map<String, Object> note = new LinkedHashMap<>();
        note.put("path", each.path());
        note.put("modified", each.modified().toString());
        note.put("bytes", each.bytes());
        note.put("tags", tags.stream().limit(TAGS_MAX).toList());
        notes.add(note);
      }
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("notes", notes);
    data.put("truncated", isCut);
    return data;
  }
}
