package dev.holdfast.tools.files;

import dev.holdfast.tools.files.FileFailedException.Why;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What one tool call changed: enough to find out after a crash whether it did, and to undo it.
 *
 * @param execution the key of the call
 * @param call a hash of tool and arguments: another call of the same key is another call
 * @param at when it was made
 * @param summary what the model was told, or would have been
 * @param createdFolders folders that did not exist before, from the top
 * @param undoneBy who undid it; empty when nobody did
 */
record ChangeManifest(
    String execution,
    String call,
    Stage stage,
    Who who,
    Instant at,
    String summary,
    List<FileChange> changes,
    List<AllowedPath> createdFolders,
    String undoneBy) {

  /** How far it got. */
  enum Stage {
    /** The change may be in place or not. */
    PREPARED,
    DONE,
    UNDONE
  }

  /** For whom it was done, and with which tool. */
  record Who(String tool, String eventId, String threadId, String sender) {}

  private static final String SEAL = ",\"sha256\":\"";
  private static final int SEAL_LENGTH = SEAL.length() + 64 + 2;

  ChangeManifest {
    changes = List.copyOf(changes);
    createdFolders = List.copyOf(createdFolders);
  }

  ChangeManifest as(Stage next, String by) {
    return new ChangeManifest(execution, call, next, who, at, summary, changes, createdFolders, by);
  }

  /** A JSON object whose last member is the hash of all that is before it. */
  byte[] write() {
    String body =
        new JsonObject()
            .put("execution", execution)
            .put("call", call)
            .put("stage", stage.name().toLowerCase(Locale.ROOT))
            .put("tool", who.tool())
            .put("event", who.eventId())
            .put("thread", who.threadId())
            .put("sender", who.sender())
            .put("at", at.toString())
            .put("told", summary)
            .put("undone_by", undoneBy)
            .put("made", new JsonArray(createdFolders.stream().map(ChangeManifest::json).toList()))
            .put("changes", new JsonArray(changes.stream().map(ChangeManifest::json).toList()))
            .encode();
    String open = body.substring(0, body.length() - 1);
    return (open + SEAL + Sha256.of(open) + "\"}").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * @throws FileFailedException when a byte of it is not as it was written
   */
  static ChangeManifest read(byte[] bytes) throws FileFailedException {
    String text = new String(bytes, StandardCharsets.UTF_8);
    int end = text.length() - SEAL_LENGTH;
    if (end < 0 || !text.substring(end).equals(SEAL + Sha256.of(text.substring(0, end)) + "\"}")) {
      throw damaged();
    }
    try {
      return parse(new JsonObject(text.substring(0, end) + "}"));
    } catch (DecodeException
        | ClassCastException
        | NullPointerException
        | IllegalArgumentException
        | DateTimeException _) {
      throw damaged(); // written by another version
    }
  }

  private static FileFailedException damaged() {
    return new FileFailedException(Why.DAMAGED, "the backup of this call is damaged");
  }

  private static ChangeManifest parse(JsonObject json) {
    return new ChangeManifest(
        json.getString("execution"),
        json.getString("call"),
        Stage.valueOf(json.getString("stage").toUpperCase(Locale.ROOT)),
        new Who(
            json.getString("tool"),
            json.getString("event"),
            json.getString("thread"),
            json.getString("sender")),
        Instant.parse(json.getString("at")),
        json.getString("told"),
        objects(json, "changes").stream().map(ChangeManifest::change).toList(),
        objects(json, "made").stream().map(ChangeManifest::path).toList(),
        json.getString("undone_by"));
  }

  private static List<JsonObject> objects(JsonObject json, String name) {
    return json.getJsonArray(name).stream()
        .map(JsonObject.class::cast)
        .collect(Collectors.toList());
  }

  private static JsonObject json(AllowedPath path) {
    return new JsonObject()
        .put("base", path.base().toString())
        .put("scratch", path.scratch())
        .put("names", new JsonArray(path.names()));
  }

  private static AllowedPath path(JsonObject json) {
    return new AllowedPath(
        Path.of(json.getString("base")),
        json.getBoolean("scratch"),
        json.getJsonArray("names").stream().map(String.class::cast).toList());
  }

  private static JsonObject json(FileChange change) {
    return new JsonObject()
        .put("spot", json(change.path()))
        .put("before", json(change.before()))
        .put("after", json(change.after()))
        .put("blob", change.blob());
  }

  private static FileChange change(JsonObject json) {
    return new FileChange(
        path(json.getJsonObject("spot")),
        state(json.getJsonObject("before")),
        state(json.getJsonObject("after")),
        json.getString("blob"));
  }

  private static JsonObject json(FileState state) {
    return switch (state) {
      case FileState.Absent _ -> new JsonObject();
      case FileState.Present(String sha256, long size, int mode) ->
          new JsonObject().put("sha256", sha256).put("size", size).put("mode", mode);
    };
  }

  private static FileState state(JsonObject json) {
    return json.isEmpty()
        ? new FileState.Absent()
        : new FileState.Present(
            json.getString("sha256"), json.getLong("size"), json.getInteger("mode"));
  }
}
