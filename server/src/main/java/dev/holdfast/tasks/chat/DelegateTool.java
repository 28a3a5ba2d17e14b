package dev.holdfast.tasks.chat;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.tasks.rules.Step;
import dev.holdfast.tools.RiskOfCall;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Gives one task to a worker agent and waits for a while. KEYED: a call that runs again finds the
 * task that it gave out.
 */
final class DelegateTool implements Tool, RiskOfCall {
  static final String NAME = "delegate";
  static final int WAIT_SECS_MAX = 300;

  private static final int WAIT_SECS = 60;
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "agent": {"type": "string", "minLength": 1, "maxLength": 64},
         "action": {"type": "string", "minLength": 1, "maxLength": 128},
         "payload": {"type": "object", "description": "What the action takes."},
         "wait_secs": {"type": "integer", "minimum": 0, "maximum": 300,
           "description": "How long to wait for the result, 60 by default; after that you get it later, as a message."}},
       "required": ["agent", "action"],
       "additionalProperties": false}
      """;

  private final PlanCallers callers;

  DelegateTool(PlanCallers callers) {
    this.callers = callers;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Gives a task to a worker agent. It is kept on disk and tried again, also by other agents,"
            + " when it fails. "
            + PlanStatusTool.NAME
            + " without arguments lists the agents and their actions.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.KEYED;
  }

  @Override
  public Risk risk() {
    return Risk.HIGH;
  }

  @Override
  public Risk risk(String argumentsJson) {
    return callers.risk(List.of(step(new JsonObject(argumentsJson))));
  }

  @Override
  public Duration timeout() {
    return Duration.ofSeconds(WAIT_SECS_MAX).plus(MARGIN);
  }

  @Override
  public String label(String argumentsJson) {
    JsonObject arguments = new JsonObject(argumentsJson);
    return NAME + ": " + arguments.getString("agent") + " " + arguments.getString("action");
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    JsonObject arguments = new JsonObject(argumentsJson);
    Step step = step(arguments);
    return callers.make(
        step.agent() + ": " + step.action(),
        List.of(step),
        Duration.ofSeconds(arguments.getInteger("wait_secs", WAIT_SECS)),
        argumentsJson,
        context);
  }

  private static Step step(JsonObject arguments) {
    return new Step(
        "task",
        arguments.getString("agent", ""),
        arguments.getString("action", ""),
        arguments.getJsonObject("payload", new JsonObject()).encode(),
        Set.of());
  }
}
