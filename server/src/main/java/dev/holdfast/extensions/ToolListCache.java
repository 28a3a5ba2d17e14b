package dev.holdfast.extensions;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tools that an MCP server listed last, so that they can be offered before it runs. What was
 * listed by another command, with other variables or by files that have changed since is not used.
 */
final class ToolListCache {
  private static final int BYTES_MAX = 32 << 20;

  private final ExtensionConfig config;
  private final KeptList list;

  /**
   * What is known.
   *
   * @param server what it called itself
   * @param refused why others cannot be used, as it is shown
   */
  record Known(String server, List<ListedTool> tools, List<String> refused) {
    Known {
      tools = List.copyOf(tools);
      refused = List.copyOf(refused);
    }
  }

  ToolListCache(ExtensionConfig config, Path folder) {
    this.config = config;
    this.list = new KeptList(config.id(), folder, "tools.json", BYTES_MAX, this::key);
  }

  Optional<Known> read() {
    return list.read(
        kept -> {
          List<ListedTool> tools = new ArrayList<>();
          for (Object tool : kept.getJsonArray("tools")) {
            tools.add(ListedTool.of((JsonObject) tool));
          }
          List<String> refused = new ArrayList<>();
          for (Object reason : kept.getJsonArray("refused", new JsonArray())) {
            refused.add((String) reason);
          }
          return new Known(kept.getString("server"), tools, refused);
        });
  }

  void keep(Known known) {
    JsonArray tools = new JsonArray();
    known.tools().forEach(tool -> tools.add(tool.toJson()));
    JsonArray refused = new JsonArray(known.refused());
    list.keep(
        new JsonObject().put("server", known.server()).put("tools", tools).put("refused", refused));
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
