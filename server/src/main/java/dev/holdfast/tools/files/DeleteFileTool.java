package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Deletes a file; the operator can bring it back. */
final class DeleteFileTool extends ChangeTool {
  DeleteFileTool(Fence fence, Executions executions) {
    super(
        spec("delete_file", "Deletes a file.", List.of("path"), "\"path\": {\"type\": \"string\"}"),
        ReplayClass.KEYED,
        fence,
        executions);
  }

  @Override
  List<String> paths() {
    return List.of("path");
  }

  @Override
  Task.Plan plan(JsonObject arguments, List<Task.Old> old) throws FileFailedException {
    Task.Old file = old.getFirst();
    if (!file.exists()) {
      throw missing(file);
    }
    return new Task.Plan("Deleted " + file.spot().shown(), List.of(new Task.After.Gone()));
  }
}
