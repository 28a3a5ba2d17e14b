package dev.holdfast.tasks.workers;

import java.time.Duration;

/**
 * One attempt at a task, as an agent is given it.
 *
 * @param key the same for each attempt at the task: an agent that keeps keys acts once
 * @param attempt from 1, over all agents
 * @param payload a JSON object
 * @param limit how long the attempt may take
 */
public record Assignment(
    String planId,
    String taskId,
    String key,
    int attempt,
    String action,
    String payload,
    Origin origin,
    Duration limit) {

  /**
   * Where the plan comes from; parts are empty when it came by the API without a chat thread.
   *
   * @param eventId the event that asked for it, to follow what happens
   */
  public record Origin(String threadId, String eventId, String person) {}
}
