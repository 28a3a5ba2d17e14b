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
  private final Fence fence;
  private final Executions executions;

  ChangeTool(ToolSpec spec, ReplayClass replay, Fence fence, Executions executions) {
    super(spec, replay);
    this.fence = fence;
    this.executions = executions;
  }

  /** The names of the arguments that are paths, in the order in which they are planned. */
  abstract List<String> paths();

  /** What is to stand there. */
  abstract Task.Plan plan(JsonObject arguments, List<Task.Old> old)
      throws FileFailedException, IOException;

  @Override
  final ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException, InterruptedException {
    List<Spot> spots = new ArrayList<>();
    for (String name : paths()) {
      Spot spot = fence.spot(arguments.getString(name), context.scratch());
      spot.name(); // a folder as such is not changed
      spots.add(spot);
    }
    Task task = new Task(spec().name(), arguments.encode(), spots, old -> plan(arguments, old));
    Executions.Done done = executions.run(context, task);
    return ToolResult.ok(done.told()).withFacts(Map.of("execution", done.execution()));
  }

  static FileFailedException missing(Task.Old old) {
    return new FileFailedException(
        FileFailedException.Why.MISSING, old.spot().shown() + ": no such file");
  }
}
