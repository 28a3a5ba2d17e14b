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
  private final ChangeExecutor executions;

  ChangeTool(ToolSpec spec, ReplayClass replay, AllowedFolders allowed, ChangeExecutor executions) {
    super(spec, replay);
    this.allowed = allowed;
    this.executions = executions;
  }

  /** The names of the arguments that are paths, in the order in which they are planned. */
  abstract List<String> paths();

  /** What is to stand there. */
  abstract ChangeTask.Plan plan(JsonObject arguments, List<ChangeTask.Old> old)
      throws FileFailedException, IOException;

  @Override
  final ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException, InterruptedException {
    List<AllowedPath> spots = new ArrayList<>();
    for (String name : paths()) {
      AllowedPath spot = allowed.spot(arguments.getString(name), context.scratch());
      spot.name(); // a folder as such is not changed
      spots.add(spot);
    }
    ChangeTask task =
        new ChangeTask(spec().name(), arguments.encode(), spots, old -> plan(arguments, old));
    ChangeExecutor.Done done = executions.run(context, task);
    return ToolResult.ok(done.told()).withFacts(Map.of("execution", done.execution()));
  }

  static FileFailedException missing(ChangeTask.Old old) {
    return new FileFailedException(
        FileFailedException.Why.MISSING, old.spot().shown() + ": no such file");
  }
}
