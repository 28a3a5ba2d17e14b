package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.tools.files.FileFailedException.Why;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Moves or renames a file. */
final class MoveFileTool extends ChangeTool {
  MoveFileTool(Fence fence, Executions executions) {
    super(
        spec(
            "move_file",
            "Moves or renames a file. Makes missing folders; never replaces a file.",
            List.of("from", "to"),
            "\"from\": {\"type\": \"string\"}, \"to\": {\"type\": \"string\"}"),
        ReplayClass.KEYED,
        fence,
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
  Task.Plan plan(JsonObject arguments, List<Task.Old> old) throws FileFailedException {
    Task.Old to = old.get(0);
    Task.Old from = old.get(1);
    if (!from.exists()) {
      throw missing(from);
    }
    if (to.exists()) {
      throw new FileFailedException(
          Why.EXISTS, to.spot().shown() + ": exists already; delete it first");
    }
    return new Task.Plan(
        "Moved " + from.spot().shown() + " to " + to.spot().shown(),
        List.of(new Task.After.MovedFrom(1), new Task.After.Gone()));
  }
}
