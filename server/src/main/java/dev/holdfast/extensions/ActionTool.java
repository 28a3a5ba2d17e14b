package dev.holdfast.extensions;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.extensions.ExtensionConfig.ActionConfig;
import io.vertx.core.json.JsonObject;

/** An action, as models are offered it. */
final class ActionTool extends ExtensionTool {
  private final ActionConfig action;
  private final Caller caller;

  /** Makes the call. */
  interface Caller {
    ToolResult call(ActionConfig action, JsonObject arguments, ToolContext context)
        throws InterruptedException;
  }

  ActionTool(ExtensionConfig config, ActionConfig action, Caller caller) {
    super(
        config.id(),
        new ToolSpec(
            OfferedTools.name(config.id(), action.name()),
            action.description().isBlank() ? action.name() : action.description(),
            action.schema(),
            action.resultSchema()),
        config.tools().replayOf(action.name()),
        config.timeouts().call().plus(ExtensionCalls.MARGIN.multipliedBy(2)));
    this.action = action;
    this.caller = caller;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    return shown(caller.call(action, new JsonObject(argumentsJson), context));
  }
}
