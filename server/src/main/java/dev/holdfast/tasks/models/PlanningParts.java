package dev.holdfast.tasks.models;

import dev.holdfast.tasks.rules.HealthState;
import dev.holdfast.tasks.run.AgentDirectory;
import dev.holdfast.tasks.run.StepCheck;
import java.util.function.Function;

/**
 * What models need that write steps.
 *
 * @param agents for which the steps are
 * @param health of an agent, by its id
 * @param check says what is wrong with steps
 */
public record PlanningParts(
    TaskModels models,
    AgentDirectory agents,
    Function<String, HealthState> health,
    StepCheck check) {
  String shownAgents() {
    return StepForm.agents(agents.all(), health);
  }
}
