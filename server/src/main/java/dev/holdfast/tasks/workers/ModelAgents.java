package dev.holdfast.tasks.workers;

/** Makes agents that are models. */
@FunctionalInterface
public interface ModelAgents {
  WorkerAgent make(String id, ModelAgentSettings model, AgentSettings settings);
}
