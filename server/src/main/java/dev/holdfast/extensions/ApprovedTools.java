package dev.holdfast.extensions;

import dev.holdfast.store.engine.AtomicFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which tools of an MCP server were let in, and as what: a server that offers something else one
 * day is not trusted with that. The first list of a server is trusted, unless it is to wait too; a
 * server that is declared with another command, address or other variables is another server.
 * Thread-safe.
 */
final class ApprovedTools {
  private static final Logger LOG = LoggerFactory.getLogger(ApprovedTools.class);
  private static final long BYTES_MAX = 64L << 20;

  /** So that the file stays within its limit, however its texts are written. */
  private static final long TEXT_UNITS_MAX = 8L << 20;

  private final ExtensionConfig config;
  private final Path folder;
  private final Path file;
  private final Object writing = new Object();

  // What follows is under the own lock.
  private final Map<String, Print> approved = new TreeMap<>();
  private State state = State.EMPTY;

  private enum State {
    /** Nothing was ever approved of this server. */
    EMPTY,
    KNOWN,
    /** What was approved cannot be read: nobody knows what may be trusted. */
    UNKNOWN
  }

  /**
   * What is kept of a tool.
   *
   * @param text null when all texts together would be too long
   */
  private record Print(
      String description, String schema, String result, String hints, @Nullable ToolText text) {
    static Print of(ListedTool tool) {
      return new Print(
          OfferedTools.hash(tool.description()),
          OfferedTools.hash(tool.schema()),
          OfferedTools.hash(tool.resultSchema()),
          tool.hints().toJson().encode(),
          ToolText.of(tool));
    }

    static Print of(JsonObject kept) {
      String hints = required(kept, "annotations");
      JsonObject texts = kept.getJsonObject("texts");
      return new Print(
          required(kept, "description"),
          required(kept, "schema"),
          required(kept, "result_schema"),
          hints,
          texts == null
              ? null
              : new ToolText(
                  required(texts, "description"),
                  required(texts, "schema"),
                  required(texts, "result_schema"),
                  hints));
    }

    private static String required(JsonObject kept, String key) {
      return Objects.requireNonNull(kept.getString(key));
    }

    Print withoutText() {
      return new Print(description, schema, result, hints, null);
    }

    long units() {
      return text == null ? 0 : text.units();
    }

    /** Without the texts: the hashes stand for them. */
    JsonObject toJson() {
      return new JsonObject()
          .put("description", description)
          .put("schema", schema)
          .put("result_schema", result)
          .put("annotations", hints);
    }

    JsonObject toWholeJson() {
      JsonObject json = toJson();
      return text == null
          ? json
          : json.put(
              "texts",
              new JsonObject()
                  .put("description", text.description())
                  .put("schema", text.schema())
                  .put("result_schema", text.resultSchema()));
    }

    List<String> changes(Print other) {
      List<String> changes = new ArrayList<>();
      if (!description.equals(other.description)) {
        changes.add("description");
      }
      if (!schema.equals(other.schema)) {
        changes.add("schema");
      }
      if (!result.equals(other.result)) {
        changes.add("result schema");
      }
      if (!hints.equals(other.hints)) {
        changes.add("annotations");
      }
      return changes;
    }
  }

  ApprovedTools(ExtensionConfig config, Path folder) {
    this.config = config;
    this.folder = folder;
    this.file = folder.resolve("approved.json");
    this.state = read();
  }

  private State read() {
    try {
      if (!Files.exists(file)) {
        return State.EMPTY;
      }
      if (Files.size(file) > BYTES_MAX) {
        throw new IOException("it is longer than " + BYTES_MAX + " bytes");
      }
      JsonObject kept = new JsonObject(Files.readString(file));
      if (!key().equals(kept.getString("key"))) {
        return State.EMPTY;
      }
      JsonObject tools = kept.getJsonObject("tools");
      tools.fieldNames().forEach(name -> approved.put(name, Print.of(tools.getJsonObject(name))));
      return State.KNOWN;
    } catch (IOException | DecodeException | ClassCastException | NullPointerException e) {
      if (state != State.UNKNOWN) {
        LOG.warn("extension {}: what was approved cannot be read ({})", config.id(), e.toString());
      }
      approved.clear();
      return State.UNKNOWN;
    }
  }

  private String key() {
    StringBuilder all = new StringBuilder();
    config.command().forEach(part -> all.append(part).append('\0'));
    config.remote().ifPresent(remote -> all.append(remote.url()).append('\0'));
    config.environment().forEach(name -> all.append('\0').append(name));
    return OfferedTools.hash(all.toString());
  }

  /** Whether what was approved can be read only now; the tools that wait may not have to. */
  synchronized boolean recovers() {
    if (state == State.UNKNOWN) {
      state = read();
      return state != State.UNKNOWN;
    }
    return false;
  }

  /** Whether what was approved cannot be read. */
  synchronized boolean isUnknown() {
    return state == State.UNKNOWN;
  }

  /** Approves the first list of a server, and none after it. */
  void approveFirst(List<ListedTool> listed) {
    if (isEmpty()) {
      approve(listed);
    }
  }

  private synchronized boolean isEmpty() {
    return state == State.EMPTY;
  }

  /** From now on these tools are offered as they are listed here, beside those approved before. */
  void approve(List<ListedTool> listed) {
    synchronized (writing) {
      byte[] content = put(listed);
      try {
        AtomicFiles.createFolders(folder);
        AtomicFiles.write(file, content);
      } catch (IOException e) {
        LOG.warn(
            "extension {}: what is approved was not kept, and is forgotten at the next start ({})",
            config.id(),
            e.toString());
      }
    }
  }

  private synchronized byte[] put(List<ListedTool> listed) {
    listed.forEach(tool -> approved.remove(tool.name()));
    long units = approved.values().stream().mapToLong(Print::units).sum();
    for (ListedTool tool : listed) {
      Print print = Print.of(tool);
      units += print.units();
      approved.put(tool.name(), units > TEXT_UNITS_MAX ? print.withoutText() : print);
    }
    state = State.KNOWN;
    JsonObject tools = new JsonObject();
    approved.forEach((name, print) -> tools.put(name, print.toWholeJson()));
    JsonObject kept = new JsonObject().put("key", key()).put("tools", tools);
    return kept.encode().getBytes(StandardCharsets.UTF_8);
  }

  /** What is not offered yet, with the reason; empty for a tool that is. */
  synchronized @Nullable HeldTool held(ListedTool tool) {
    Print now = Print.of(tool);
    Print known = approved.get(tool.name());
    if (known == null) {
      return new HeldTool(tool.name(), List.of(), null, ToolText.of(tool));
    }
    List<String> changes = known.changes(now);
    return changes.isEmpty()
        ? null
        : new HeldTool(tool.name(), changes, known.text(), ToolText.of(tool));
  }

  /** Stands for a whole list: two that differ in anything that matters have others. */
  static String digest(List<ListedTool> listed) {
    return OfferedTools.hash(
        listed.stream()
            .map(tool -> new JsonObject().put(tool.name(), Print.of(tool).toJson()).encode())
            .sorted()
            .collect(Collectors.joining("\n")));
  }
}
