package dev.holdfast.tasks.run;

/**
 * What is being done for a task.
 *
 * @param threadId of its plan; empty when it is for none
 * @param label in a few words of its agent, without secrets
 */
public record TaskDoing(String planId, String threadId, String taskId, String step, String label) {}
