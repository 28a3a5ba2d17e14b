package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.AgentKnowledge;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.config.Secrets;
import dev.holdfast.incidents.IncidentReports;
import dev.holdfast.models.Models;
import dev.holdfast.store.Store;
import dev.holdfast.time.Time;
import dev.holdfast.tools.Toolbox;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.util.function.Supplier;

/**
 * What a turn has at its disposal on its way to an answer.
 *
 * @param incidents hears of events that take the server down, and of damaged contexts
 */
public record TurnResources(
    Store store,
    Models models,
    Toolbox toolbox,
    AgentKnowledge knowledge,
    Attachments attachments,
    Secrets secrets,
    OpenForms forms,
    IncidentReports incidents,
    Supplier<AgentConfig> configs,
    Time time) {

  /** What is in force now: it may change between two turns. */
  public AgentConfig config() {
    return configs.get();
  }

  /** An empty one while the operator allows no tools. */
  @Override
  public Toolbox toolbox() {
    return config().autonomy() == Autonomy.MANUAL ? toolbox.emptied() : toolbox;
  }

  /** Whether unsafe tools wait for a person. */
  boolean isSupervised() {
    return config().autonomy() == Autonomy.SUPERVISED;
  }
}
