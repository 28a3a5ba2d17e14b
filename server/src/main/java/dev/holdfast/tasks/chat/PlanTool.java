package dev.holdfast.tasks.chat;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.tasks.run.StepsJson;
import dev.holdfast.tools.RiskOfCall;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Makes a plan of several steps. KEYED: a call that runs again finds the plan that it made. */
final class PlanTool implements Tool, RiskOfCall {
  static final String NAME = "plan";

  private static final Duration MARGIN = Duration.ofSeconds(15);

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "goal": {"type": "string", "minLength": 1, "maxLength": 2000,
           "description": "What the plan is for, as the person would say it."},
         "steps": %s,
         "wait_secs": {"type": "integer", "minimum": 0, "maximum": 300,
           "description": "How long to wait for its end, 0 by default: you get a message when it has ended."}},
       "required": ["goal"],
       "additionalProperties": false}
      """
          .formatted(StepsJson.SCHEMA);

  private final PlanCallers callers;

  PlanTool(PlanCallers callers) {
    this.callers = callers;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Runs 1 to 10 steps by worker agents; steps that do not need each other run at once. Without"
            + " steps, a planner writes them for the goal. The"
            + " plan is kept on disk and goes on after a restart. "
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
    return callers.risk(StepsJson.read(new JsonObject(argumentsJson)));
  }

  @Override
  public Duration timeout() {
    return Duration.ofSeconds(DelegateTool.WAIT_SECS_MAX).plus(MARGIN);
  }

  @Override
  public String label(String argumentsJson) {
    return NAME + ": " + new JsonObject(argumentsJson).getString("goal");
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    JsonObject arguments = new JsonObject(argumentsJson);
    return callers.make(
        arguments.getString("goal"),
        StepsJson.read(arguments),
        Duration.ofSeconds(arguments.getInteger("wait_secs", 0)),
        argumentsJson,
        context);
  }
}
