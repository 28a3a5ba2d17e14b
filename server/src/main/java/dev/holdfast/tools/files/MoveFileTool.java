package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.tools.files.FileFailedException.Why;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Moves or renames a file. */
final class MoveFileTool extends ChangeTool {
  MoveFileTool(AllowedFolders allowed, ChangeExecutor executions) {
    super(
        spec(
            "move_file",
            "Moves or renames a file. Makes missing folders; never replaces a file.",
            List.of("from", "to"),
            "\"from\": {\"type\": \"string\"}, \"to\": {\"type\": \"string\"}"),
        ReplayClass.KEYED,
        allowed,
        executions);
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
  ChangeTask.Plan plan(JsonObject arguments, List<ChangeTask.Old> old) throws FileFailedException {
    ChangeTask.Old to = old.get(0);
    ChangeTask.Old from = old.get(1);
    if (!from.exists()) {
      throw missing(from);
    }
    if (to.exists()) {
      throw new FileFailedException(
          Why.EXISTS, to.spot().shown() + ": already exists; delete it first");
    }
    return new ChangeTask.Plan(
        "Moved " + from.spot().shown() + " to " + to.spot().shown(),
        List.of(new ChangeTask.After.MovedFrom(1), new ChangeTask.After.Gone()));
  }
}
