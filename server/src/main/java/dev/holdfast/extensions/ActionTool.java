package dev.holdfast.extensions;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.extensions.ExtensionConfig.ActionConfig;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** An action, as models are offered it. */
final class ActionTool implements Tool {
  private final ActionConfig action;
  private final ToolSpec spec;
  private final ReplayClass replay;
  private final Duration timeout;
  private final Caller caller;

  /** Makes the call. */
  interface Caller {
    ToolResult call(ActionConfig action, JsonObject arguments, ToolContext context)
        throws InterruptedException;
  }

  ActionTool(ExtensionConfig config, ActionConfig action, Caller caller) {
    this.action = action;
    this.spec =
        new ToolSpec(
            OfferedTools.name(config.id(), action.name()),
            action.description().isBlank() ? action.name() : action.description(),
            action.schema(),
            action.resultSchema());
    this.replay = config.tools().replayOf(action.name());
    this.timeout = config.timeouts().call().plus(ExtensionCalls.MARGIN.multipliedBy(2));
    this.caller = caller;
  }

  @Override
  public ToolSpec spec() {
    return spec;
  }

  @Override
  public ReplayClass replay() {
    return replay;
  }

  @Override
  public Duration timeout() {
    return timeout;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    return caller.call(action, new JsonObject(argumentsJson), context);
  }
}
