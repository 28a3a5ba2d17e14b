package dev.holdfast.extensions;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** A tool of an MCP server, as models are offered it. */
final class McpTool extends ExtensionTool {
  private final ListedTool listed;
  private final Caller caller;

  /** Makes the call. */
  interface Caller {
    ToolResult call(ListedTool tool, JsonObject arguments, ToolContext context)
        throws InterruptedException;
  }

  McpTool(ExtensionConfig config, ListedTool listed, Caller caller) {
    super(
        config.id(),
        new ToolSpec(
            OfferedTools.name(config.id(), listed.name()),
            listed.description(),
            listed.schema(),
            listed.resultSchema()),
        config.tools().replayOf(listed),
        timeout(config.timeouts()));
    this.listed = listed;
    this.caller = caller;
  }

  /** A call may have to start the server, and to ask a person. */
  static Duration timeout(ExtensionConfig.Timeouts timeouts) {
    return timeouts
        .start()
        .plus(timeouts.list())
        .plus(timeouts.call())
        .plus(PersonInputs.WAIT_MAX)
        .plus(ExtensionCalls.MARGIN.multipliedBy(2));
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    return shown(caller.call(listed, new JsonObject(argumentsJson), context));
  }
}
