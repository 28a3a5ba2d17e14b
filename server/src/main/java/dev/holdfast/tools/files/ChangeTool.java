package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A tool that changes files: what it changed can be undone by the execution that it names. */
abstract class ChangeTool extends FileTool {
  private final AllowedFolders allowed;
  private final ChangeExecutor executor;

  ChangeTool(ToolSpec spec, ReplayClass replay, AllowedFolders allowed, ChangeExecutor executor) {
    super(spec, replay);
    this.allowed = allowed;
    this.executor = executor;
  }

  /** The names of the arguments that are paths, in the order in which they are planned. */
  abstract List<String> paths();

  /** What is to stand there. */
  abstract ChangeTask.Plan plan(JsonObject arguments, List<ChangeTask.OldFile> old)
      throws FileFailedException, IOException;

  @Override
  final ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException, InterruptedException {
    List<AllowedPath> paths = new ArrayList<>();
    for (String name : paths()) {
      AllowedPath path = allowed.resolve(arguments.getString(name), context.scratch());
      path.name(); // a folder as such is not changed
      paths.add(path);
    }
    ChangeTask task =
        new ChangeTask(spec().name(), arguments.encode(), paths, old -> plan(arguments, old));
    ChangeExecutor.Done done = executor.run(context, task);
    return ToolResult.ok(done.summary()).withFacts(Map.of("execution", done.execution()));
  }

  static FileFailedException missing(ChangeTask.OldFile old) {
    return new FileFailedException(
        FileFailedException.Why.MISSING, old.path().shown() + ": no such file");
  }
}
