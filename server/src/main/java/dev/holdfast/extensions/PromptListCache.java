package dev.holdfast.extensions;

import dev.holdfast.store.engine.AtomicFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The prompts that an MCP server listed last; kept as its list of tools is. */
final class PromptListCache {
  private static final Logger LOG = LoggerFactory.getLogger(PromptListCache.class);
  private static final int BYTES_MAX = 4 << 20;

  private final String id;
  private final Supplier<String> key;
  private final Path folder;
  private final Path file;

  /**
   * @param key changes with whatever may change the list
   */
  PromptListCache(String id, Supplier<String> key, Path folder) {
    this.id = id;
    this.key = key;
    this.folder = folder;
    this.file = folder.resolve("prompts.json");
  }

  List<ListedPrompt> read() {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
        return List.of();
      }
      JsonObject kept = new JsonObject(Files.readString(file));
      return key.get().equals(kept.getString("key"))
          ? kept.getJsonArray("prompts").stream()
              .flatMap(prompt -> ListedPrompt.read(prompt).stream())
              .toList()
          : List.of();
    } catch (IOException | DecodeException | ClassCastException | NullPointerException e) {
      LOG.warn("extension {}: its prompts of before cannot be read ({})", id, e.toString());
      return List.of();
    }
  }

  void keep(List<ListedPrompt> prompts) {
    JsonArray listed = new JsonArray();
    prompts.forEach(prompt -> listed.add(prompt.toJson()));
    JsonObject kept = new JsonObject().put("key", key.get()).put("prompts", listed);
    try {
      AtomicFiles.createFolders(folder);
      AtomicFiles.write(file, kept.encode().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("extension {}: its prompts were not kept ({})", id, e.toString());
    }
  }
}
