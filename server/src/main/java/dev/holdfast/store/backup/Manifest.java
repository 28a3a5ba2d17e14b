package dev.holdfast.store.backup;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a backup holds.
 *
 * @param program the version that made it
 * @param files each with its length and its hash
 */
public record Manifest(String program, Instant madeAt, List<Entry> files) {
  static final String DATABASE = "holdfast.db";
  private static final int FORMAT = 1;

  /** One file, by its path in the data folder. */
  public record Entry(String path, long bytes, String sha256) {}

  public Manifest {
    files = List.copyOf(files);
  }

  public long bytes() {
    return files.stream().mapToLong(Entry::bytes).sum();
  }

  String write() {
    JsonArray list = new JsonArray();
    for (Entry entry : files) {
      list.add(
          new JsonObject()
              .put("path", entry.path())
              .put("bytes", entry.bytes())
              .put("sha256", entry.sha256()));
    }
    return new JsonObject()
        .put("format", FORMAT)
        .put("program", program)
        .put("made_at", madeAt.toString())
        .put("files", list)
        .encodePrettily();
  }

  static Manifest read(String text) throws BackupException {
    try {
      JsonObject json = new JsonObject(text);
      if (json.getInteger("format", 0) != FORMAT) {
        throw new BackupException(
            "its format is " + json.getValue("format") + ", and this program knows " + FORMAT);
      }
      List<Entry> files = new ArrayList<>();
      for (Object each : json.getJsonArray("files")) {
        JsonObject file = (JsonObject) each;
        files.add(
            new Entry(file.getString("path"), file.getLong("bytes"), file.getString("sha256")));
      }
      Manifest manifest =
          new Manifest(json.getString("program"), Instant.parse(json.getString("made_at")), files);
      manifest.check();
      return manifest;
    } catch (DecodeException | ClassCastException | NullPointerException | DateTimeException e) {
      throw new BackupException("its manifest is not one: " + e.getMessage());
    }
  }

  /** No path may lead out of the folder, or to what belongs to a run. */
  private void check() throws BackupException {
    Set<String> paths = new HashSet<>();
    for (Entry entry : files) {
      if (!DataFiles.isAllowed(entry.path()) || !paths.add(entry.path())) {
        throw new BackupException("it holds a file that no backup has: " + entry.path());
      }
    }
    if (!paths.contains(DATABASE)) {
      throw new BackupException("it holds no " + DATABASE);
    }
  }
}
