package dev.holdfast.extensions;

import dev.holdfast.store.engine.AtomicFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an MCP server had besides tools when it ran last; kept as its list of tools is. */
final class FeatureCache {
  private static final Logger LOG = LoggerFactory.getLogger(FeatureCache.class);
  private static final int BYTES_MAX = 4 << 20;

  private final String id;
  private final Supplier<String> key;
  private final Path folder;
  private final Path file;

  /**
   * @param key changes with whatever may change what the server has
   */
  FeatureCache(String id, Supplier<String> key, Path folder) {
    this.id = id;
    this.key = key;
    this.folder = folder;
    this.file = folder.resolve("features.json");
  }

  McpFeatures read() {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
        return McpFeatures.NONE;
      }
      JsonObject kept = new JsonObject(Files.readString(file));
      return key.get().equals(kept.getString("key"))
          ? McpFeatures.of(kept.getJsonObject("features"))
          : McpFeatures.NONE;
    } catch (IOException | DecodeException | ClassCastException | NullPointerException e) {
      LOG.warn("extension {}: its prompts of before cannot be read ({})", id, e.toString());
      return McpFeatures.NONE;
    }
  }

  void keep(McpFeatures features) {
    JsonObject kept = new JsonObject().put("key", key.get()).put("features", features.toJson());
    try {
      AtomicFiles.createFolders(folder);
      AtomicFiles.write(file, kept.encode().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("extension {}: its prompts were not kept ({})", id, e.toString());
    }
  }
}
