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
  private volatile AgentsConfig config;

  public WorkerAgents(ExtensionActions extensions, AgentsConfig config) {
    this.extensions = extensions;
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
    now.byName()
        .forEach(
            (id, entry) ->
                agents.put(
                    id, new ExtensionAgent(id, entry.extension(), entry.settings(), extensions)));
    return agents;
  }
}
