package dev.holdfast.extensions;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** The prompts that an MCP server listed last; kept as its list of tools is. */
final class PromptListCache {
  private static final int BYTES_MAX = 4 << 20;

  private final KeptList list;

  /**
   * @param key changes with whatever may change the list
   */
  PromptListCache(String id, Supplier<String> key, Path folder) {
    this.list = new KeptList(id, folder, "prompts.json", BYTES_MAX, key);
  }

  List<ListedPrompt> read() {
    return list.read(
            kept ->
                kept.getJsonArray("prompts").stream()
                    .flatMap(prompt -> ListedPrompt.read(prompt).stream())
                    .toList())
        .orElse(List.of());
  }

  void keep(List<ListedPrompt> prompts) {
    JsonArray listed = new JsonArray();
    prompts.forEach(prompt -> listed.add(prompt.toJson()));
    list.keep(new JsonObject().put("prompts", listed));
  }
}
