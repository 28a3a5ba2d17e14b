package dev.holdfast.tasks.chat;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.extensions.Texts;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanFilter;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tasks.workers.WorkerAgent;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Shows the plans of the chat thread that calls, and the worker agents: what is so now, on disk.
 */
final class PlanStatusTool implements Tool {
  static final String NAME = "plan_status";

  private static final int PLANS_SHOWN = 10;
  private static final int DESCRIPTION_SHOWN = 300;

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "plan_id": {"type": "string", "maxLength": 64,
           "description": "Of which plan; without it you get the newest plans and all agents."},
         "agent": {"type": "string", "maxLength": 64,
           "description": "The actions of this agent, with what they take."}},
       "additionalProperties": false}
      """;

  private final Plans plans;

  PlanStatusTool(Plans plans) {
    this.plans = plans;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Shows how a plan of this conversation does, or the newest plans and the worker agents with"
            + " their actions. Say of a plan only what this says.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.READ;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    JsonObject arguments = new JsonObject(argumentsJson);
    String planId = arguments.getString("plan_id", "");
    String agentId = arguments.getString("agent", "");
    if (!planId.isEmpty()) {
      Optional<Plan> plan =
          plans
              .ledger()
              .find(planId)
              .filter(one -> one.origin().threadId().equals(context.threadId()));
      return plan.map(
              one -> ToolResult.ok(PlanCallers.describe(one, plans.ledger().tasksOf(one.id()))))
          .orElseGet(() -> PlanCallers.refused("This conversation has no plan " + planId + "."));
    }
    if (!agentId.isEmpty()) {
      return plans
          .agents()
          .find(agentId)
          .map(agent -> ToolResult.ok(actions(agent)))
          .orElseGet(() -> PlanCallers.refused("There is no agent " + agentId + "."));
    }
    return ToolResult.ok(overview(context.threadId()));
  }

  private static String actions(WorkerAgent agent) {
    StringBuilder text = new StringBuilder("Agent " + agent.id() + ":");
    agent
        .actions()
        .forEach(
            action ->
                text.append("\n- ")
                    .append(action.name())
                    .append(": ")
                    .append(shown(action.description()))
                    .append("\n  payload: ")
                    .append(Texts.visible(action.schema())));
    return text.toString();
  }

  private String overview(String threadId) {
    StringBuilder text = new StringBuilder("Worker agents:");
    for (WorkerAgent agent : plans.agents().all()) {
      AgentHealth health = plans.ledger().agents().of(agent.id());
      text.append("\n- ")
          .append(agent.id())
          .append(" (")
          .append(health.state().name().toLowerCase(Locale.ROOT))
          .append("): ")
          .append(
              agent.actions().isEmpty()
                  ? "not ready"
                  : String.join(
                      ", ", agent.actions().stream().map(action -> action.name()).toList()));
    }
    List<Plan> newest =
        plans
            .ledger()
            .list(ThreadReader.OPERATOR, threadId, PlanFilter.ALL, Long.MAX_VALUE, PLANS_SHOWN);
    text.append(newest.isEmpty() ? "\nThis conversation has no plans." : "\nPlans, newest first:");
    newest.forEach(
        plan ->
            text.append("\n- ")
                .append(plan.id())
                .append(", ")
                .append(plan.state().name().toLowerCase(Locale.ROOT))
                .append(": ")
                .append(shown(plan.goal())));
    return text.toString();
  }

  private static String shown(String text) {
    return Texts.cut(Texts.visible(text), DESCRIPTION_SHOWN);
  }
}
