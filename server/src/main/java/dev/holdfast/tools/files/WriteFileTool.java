package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes a whole file, new or not. */
final class WriteFileTool extends ChangeTool {
  static final int BYTES_MAX = 10 << 20;

  WriteFileTool(AllowedFolders allowed, ChangeExecutor executor) {
    super(
        spec(
            "write_file",
            "Writes a whole text file; one that was there is replaced. Makes missing folders.",
            List.of("path", "content"),
            """
            "path": {"type": "string", "description": "In the working folder, or absolute in a folder that the operator allows."},
            "content": {"type": "string", "description": "The whole text."}
            """),
        ReplayClass.IDEMPOTENT,
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
    byte[] bytes = arguments.getString("content").getBytes(StandardCharsets.UTF_8);
    if (bytes.length > BYTES_MAX) {
      throw FileFailedException.refused("the content is larger than " + (BYTES_MAX >> 20) + " MiB");
    }
    ChangeTask.OldFile file = old.getFirst();
    String summary =
        "%s %s: %d bytes"
            .formatted(
                file.exists() ? "Replaced" : "Wrote new file", file.path().shown(), bytes.length);
    return new ChangeTask.Plan(summary, List.of(new ChangeTask.After.Written(bytes)));
  }
}
