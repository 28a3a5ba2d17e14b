package dev.holdfast.tasks.workers;

import dev.holdfast.extensions.ExtensionActions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The worker agents that there are now: those of the configuration, whether or not their extensions
 * are there, and each other extension under its own id. Thread-safe.
 */
public final class WorkerAgents {
  private final ExtensionActions extensions;
  private final ModelAgents models;
  private volatile AgentsConfig config;

  public WorkerAgents(ExtensionActions extensions, ModelAgents models, AgentsConfig config) {
    this.extensions = extensions;
    this.models = models;
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
      agents.put(id, new ExtensionAgent(id, id, now.byDefault(), extensions));
    }
    now.byName().forEach((id, entry) -> agents.put(id, agent(id, entry)));
    return agents;
  }

  private WorkerAgent agent(String id, AgentsConfig.Entry entry) {
    return switch (entry.kind()) {
      case AgentsConfig.Kind.Extension(String extension) ->
          new ExtensionAgent(id, extension, entry.settings(), extensions);
      case AgentsConfig.Kind.Model(ModelAgentSettings model) ->
          models.make(id, model, entry.settings());
    };
  }
}
