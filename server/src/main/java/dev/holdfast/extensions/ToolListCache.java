package dev.holdfast.extensions;

import dev.holdfast.store.engine.AtomicFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tools that an MCP server listed last, so that they can be offered before it runs. What was
 * listed by another command, with other variables or by files that have changed since is not used.
 */
final class ToolListCache {
  private static final Logger LOG = LoggerFactory.getLogger(ToolListCache.class);
  private static final int BYTES_MAX = 32 << 20;

  private final ExtensionConfig config;
  private final Path folder;
  private final Path file;

  /**
   * What is known.
   *
   * @param server what it called itself
   */
  record Known(String server, List<ListedTool> tools) {
    Known {
      tools = List.copyOf(tools);
    }
  }

  ToolListCache(ExtensionConfig config, Path folder) {
    this.config = config;
    this.folder = folder;
    this.file = folder.resolve("tools.json");
  }

  Optional<Known> read() {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > BYTES_MAX) {
        return Optional.empty();
      }
      JsonObject kept = new JsonObject(Files.readString(file));
      if (!key().equals(kept.getString("key"))) {
        return Optional.empty();
      }
      List<ListedTool> tools = new ArrayList<>();
      for (Object tool : kept.getJsonArray("tools")) {
        tools.add(ListedTool.of((JsonObject) tool));
      }
      return Optional.of(new Known(kept.getString("server"), tools));
    } catch (IOException | DecodeException | ClassCastException | NullPointerException e) {
      LOG.warn("extension {}: what it listed last cannot be read ({})", config.id(), e.toString());
      return Optional.empty();
    }
  }

  /** Without it the next start of the server has to start the child too. */
  void keep(Known known) {
    JsonArray tools = new JsonArray();
    known.tools().forEach(tool -> tools.add(tool.toJson()));
    JsonObject kept =
        new JsonObject().put("key", key()).put("server", known.server()).put("tools", tools);
    try {
      AtomicFiles.createFolders(folder);
      AtomicFiles.write(file, kept.encode().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("extension {}: its list of tools was not kept ({})", config.id(), e.toString());
    }
  }

  /** Changes with whatever may change the list. */
  String key() {
    StringBuilder all = new StringBuilder();
    for (String part : config.command()) {
      all.append(part).append('\0').append(changed(part)).append('\0');
    }
    config.remote().ifPresent(remote -> all.append(remote.url()).append('\0'));
    config.environment().forEach(name -> all.append(name).append('\0'));
    return OfferedTools.hash(all.toString());
  }

  /** When the file that an argument names was changed; nothing for what is no file. */
  private static String changed(String part) {
    try {
      Path path = Path.of(part);
      return path.isAbsolute() && Files.isRegularFile(path)
          ? Files.getLastModifiedTime(path).toString()
          : "";
    } catch (IOException | InvalidPathException e) {
      return "";
    }
  }
}
