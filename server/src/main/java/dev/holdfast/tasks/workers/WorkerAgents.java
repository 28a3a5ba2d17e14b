package dev.holdfast.tasks.workers;

import dev.holdfast.extensions.ExtensionActions;
import dev.holdfast.tasks.rules.AgentTuning;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The worker agents that there are now: those of the configuration, whether or not their extensions
 * are there, and each other extension under its own id. Thread-safe.
 */
public final class WorkerAgents {
  private final ExtensionActions extensions;
  private final ModelAgents models;
  private final Function<String, AgentTuning> tuning;
  private volatile AgentsConfig config;

  /**
   * @param tuning what was chosen for an agent in place of its configured settings
   */
  public WorkerAgents(
      ExtensionActions extensions,
      ModelAgents models,
      Function<String, AgentTuning> tuning,
      AgentsConfig config) {
    this.extensions = extensions;
    this.models = models;
    this.tuning = tuning;
    this.config = config;
  }

  /** From now on this holds; attempts that run keep what they began with. */
  public void configure(AgentsConfig changed) {
    config = changed;
  }

  public Optional<WorkerAgent> find(String id) {
    return Optional.ofNullable(byId().get(id));
  }

  /** In the order of their ids. */
  public List<WorkerAgent> all() {
    return List.copyOf(byId().values());
  }

  private Map<String, WorkerAgent> byId() {
    AgentsConfig now = config;
    Map<String, WorkerAgent> agents = new TreeMap<>();
    for (String id : extensions.ids()) {
      AgentSettings settings = now.limitsAll() ? now.byDefault() : patient(now.byDefault(), id);
      agents.put(id, new ExtensionAgent(id, id, tuned(id, settings), extensions));
    }
    now.byName().forEach((id, entry) -> agents.put(id, agent(id, entry)));
    return agents;
  }

  private AgentSettings tuned(String id, AgentSettings configured) {
    return configured.tuned(tuning.apply(id));
  }

  /** An extension that says that its calls take longer gets that much time. */
  private AgentSettings patient(AgentSettings settings, String extension) {
    Duration limit = extensions.callLimit(extension);
    return limit.compareTo(settings.timeout()) > 0 ? settings.within(limit) : settings;
  }

  private WorkerAgent agent(String id, AgentsConfig.Entry entry) {
    return switch (entry.kind()) {
      case AgentsConfig.Kind.Extension(String extension) ->
          new ExtensionAgent(
              id,
              extension,
              tuned(id, entry.hasLimit() ? entry.settings() : patient(entry.settings(), extension)),
              extensions);
      case AgentsConfig.Kind.Model(ModelAgentSettings model) ->
          models.make(id, model, tuned(id, entry.settings()));
    };
  }
}
