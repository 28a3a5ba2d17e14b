package dev.holdfast.kit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A few small objects by name that outlive a crash. Each change writes the whole file and syncs it
 * before it takes the place of the old one: a file is never half. Thread-safe.
 */
public final class StateFile {
  private static final long BYTES_MAX = 16L * 1024 * 1024;

  private final Path file;
  private final int entriesMax;
  private final LinkedHashMap<String, Map<String, Object>> entries = new LinkedHashMap<>();

  private StateFile(Path file, int entriesMax) {
    this.file = file;
    this.entriesMax = entriesMax;
  }

  /**
   * Reads what is there. A file that cannot be understood is set aside as {@code NAME.damaged}.
   *
   * @param entriesMax beyond it, the oldest are left out
   */
  public static StateFile open(Path file, int entriesMax) throws IOException {
    StateFile state = new StateFile(file, entriesMax);
    if (Files.exists(file)) {
      try {
        state.read();
      } catch (IllegalArgumentException _) {
        state.entries.clear();
        Files.move(
            file,
            file.resolveSibling(file.getFileName() + ".damaged"),
            StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return state;
  }

  private void read() throws IOException {
    if (Files.size(file) > BYTES_MAX) {
      throw new IllegalArgumentException("it is too large");
    }
    Map<String, Object> all =
        JsonText.object(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    for (String key : all.keySet()) {
      entries.put(key, JsonText.map(all, key));
    }
  }

  public synchronized Optional<Map<String, Object>> find(String key) {
    return Optional.ofNullable(entries.get(key));
  }

  /** A copy, oldest first. */
  public synchronized Map<String, Map<String, Object>> all() {
    return new LinkedHashMap<>(entries);
  }

  /**
   * Keeps an object; returns when it is on disk.
   *
   * @throws IOException when it is not; this process has it nevertheless
   */
  public synchronized void put(String key, Map<String, ?> value) throws IOException {
    entries.remove(key);
    entries.put(key, new LinkedHashMap<>(value));
    while (entries.size() > entriesMax) {
      entries.pollFirstEntry();
    }
    write();
  }

  /**
   * Forgets an object.
   *
   * @throws IOException when it is still on disk
   */
  public synchronized void remove(String key) throws IOException {
    if (entries.remove(key) != null) {
      write();
    }
  }

  private void write() throws IOException {
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    DurableFile.write(file, draft, JsonText.write(entries));
  }
}
