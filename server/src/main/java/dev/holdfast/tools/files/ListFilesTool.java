package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Lists one folder. */
final class ListFilesTool extends FileTool {
  static final int ENTRIES_MAX = 1000;

  private final AllowedFolders allowed;

  ListFilesTool(AllowedFolders allowed) {
    super(
        spec(
            "list_files",
            "Lists a folder: folders end in \"/\", files have their size in bytes.",
            List.of(),
            """
            "path": {"type": "string", "description": "A folder; the working folder by default."}
            """),
        ReplayClass.READ);
    this.allowed = allowed;
  }

  @Override
  ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException {
    AllowedPath path = allowed.resolve(arguments.getString("path", "."), context.scratch());
    try (SafeFolder folder = allowed.enter(path)) {
      List<String> names = folder.names(ENTRIES_MAX + 1);
      if (names.isEmpty()) {
        return ToolResult.ok(path.shown() + ": an empty folder");
      }
      StringBuilder text = new StringBuilder();
      for (String name : names.stream().limit(ENTRIES_MAX).sorted().toList()) {
        Optional<FileStatus> status = folder.status(name);
        if (status.isPresent()) {
          text.append(line(name, status.get())).append('\n');
        }
      }
      if (names.size() > ENTRIES_MAX) {
        text.append("[there are more than ").append(ENTRIES_MAX).append(" entries]");
      }
      return ToolResult.ok(text.toString());
    }
  }

  private static String line(String name, FileStatus status) {
    return switch (status.type()) {
      case FOLDER -> escaped(name) + "/";
      case FILE ->
          escaped(name)
              + "  "
              + status.size()
              + (status.links() == 1 ? "" : "  (hard link, not usable)");
      case LINK -> escaped(name) + "  (link, not followed)";
      case SPECIAL -> escaped(name) + "  (not a plain file, not usable)";
    };
  }
}
