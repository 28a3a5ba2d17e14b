package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Deletes a file; the operator can bring it back. */
final class DeleteFileTool extends ChangeTool {
  DeleteFileTool(AllowedFolders allowed, ChangeExecutor executor) {
    super(
        spec("delete_file", "Deletes a file.", List.of("path"), "\"path\": {\"type\": \"string\"}"),
        ReplayClass.KEYED,
        allowed,
        executor);
  }

  @Override
  List<String> paths() {
    return List.of("path");
  }

  @Override
  ChangeTask.Plan plan(JsonObject arguments, List<ChangeTask.OldFile> old)
      throws FileFailedException {
    ChangeTask.OldFile file = old.getFirst();
    if (!file.exists()) {
      throw missing(file);
    }
    return new ChangeTask.Plan(
        "Deleted " + file.path().shown(), List.of(new ChangeTask.After.Gone()));
  }
}
