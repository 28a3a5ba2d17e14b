package dev.holdfast.extensions;

import dev.holdfast.store.engine.AtomicFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that holds what an MCP server listed last, for as long as its key stays the same. Written
 * only when it would change. For one thread.
 */
final class KeptList {
  private static final Logger LOG = LoggerFactory.getLogger(KeptList.class);

  private final String id;
  private final Path folder;
  private final Path file;
  private final int bytesMax;
  private final Supplier<String> key;
  private String hash = "";

  /**
   * @param id of the extension, for the log
   * @param bytesMax what is longer is not read
   */
  KeptList(String id, Path folder, String name, int bytesMax, Supplier<String> key) {
    this.id = id;
    this.folder = folder;
    this.file = folder.resolve(name);
    this.bytesMax = bytesMax;
    this.key = key;
  }

  /**
   * @param reader may throw {@link ClassCastException} and {@link NullPointerException} at what is
   *     malformed
   */
  <T> Optional<T> read(Function<JsonObject, T> reader) {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > bytesMax) {
        return Optional.empty();
      }
      String text = Files.readString(file);
      JsonObject kept = new JsonObject(text);
      if (!key.get().equals(kept.getString("key"))) {
        return Optional.empty();
      }
      T content = reader.apply(kept);
      hash = OfferedTools.hash(text);
      return Optional.of(content);
    } catch (IOException | DecodeException | ClassCastException | NullPointerException e) {
      LOG.warn("extension {}: {} cannot be read ({})", id, file.getFileName(), e.toString());
      return Optional.empty();
    }
  }

  /** Without it the next start of the server has to start the child too. */
  void keep(JsonObject content) {
    String text = new JsonObject().put("key", key.get()).mergeIn(content).encode();
    String now = OfferedTools.hash(text);
    if (now.equals(hash)) {
      return;
    }
    try {
      AtomicFiles.createFolders(folder);
      AtomicFiles.write(file, text.getBytes(StandardCharsets.UTF_8));
      hash = now;
    } catch (IOException e) {
      LOG.warn("extension {}: {} was not kept ({})", id, file.getFileName(), e.toString());
    }
  }
}
