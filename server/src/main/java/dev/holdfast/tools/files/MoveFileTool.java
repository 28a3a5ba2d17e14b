package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.tools.files.FileFailedException.Why;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Moves or renames a file. */
final class MoveFileTool extends ChangeTool {
  MoveFileTool(AllowedFolders allowed, ChangeExecutor executor) {
    super(
        spec(
            "move_file",
            "Moves or renames a file. Makes missing folders; never replaces a file.",
            List.of("from", "to"),
            "\"from\": {\"type\": \"string\"}, \"to\": {\"type\": \"string\"}"),
        ReplayClass.KEYED,
        allowed,
        executor);
  }

  @Override
  String about(JsonObject arguments) {
    return arguments.getString("from", "") + " to " + arguments.getString("to", "");
  }

  /** The new place first: at no time is the file nowhere. */
  @Override
  List<String> paths() {
    return List.of("to", "from");
  }

  @Override
  ChangeTask.Plan plan(JsonObject arguments, List<ChangeTask.OldFile> old)
      throws FileFailedException {
    ChangeTask.OldFile to = old.get(0);
    ChangeTask.OldFile from = old.get(1);
    if (!from.exists()) {
      throw missing(from);
    }
    if (to.exists()) {
      throw new FileFailedException(
          Why.EXISTS, to.path().shown() + ": already exists; delete it first");
    }
    return new ChangeTask.Plan(
        "Moved " + from.path().shown() + " to " + to.path().shown(),
        List.of(new ChangeTask.After.MovedFrom(1), new ChangeTask.After.Gone()));
  }
}
