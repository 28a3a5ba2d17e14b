package dev.holdfast.tasks.workers;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, as an agent is given it.
 *
 * @param key the same for each attempt at the task: an agent that keeps keys acts once
 * @param attempt from 1, over all agents
 * @param payload a JSON object
 * @param limit how long the attempt may take
 * @param level of the models to use, after a lower one has failed; empty for the agent's own
 * @param progress hears what the agent does, in a few words without secrets
 * @param input what the agent has asked for before; null when it has asked for nothing
 */
public record Assignment(
    String planId,
    String taskId,
    String key,
    int attempt,
    String action,
    String payload,
    Origin origin,
    Duration limit,
    String level,
    Consumer<String> progress,
    @Nullable Input input) {

  /**
   * Where the plan comes from; parts are empty when it came by the API without a chat thread.
   *
   * @param eventId the event that asked for it, to follow what happens
   */
  public record Origin(String threadId, String eventId, String person) {}

  /**
   * What a person has answered.
   *
   * @param by a person
   * @param state what the agent gave along with its question: a JSON object
   */
  public record Input(String answer, String by, String state) {}

  /** The same for another action of the same agent. */
  public Assignment of(String otherAction, String otherPayload) {
    return new Assignment(
        planId,
        taskId,
        key,
        attempt,
        otherAction,
        otherPayload,
        origin,
        limit,
        level,
        progress,
        null);
  }
}
