package dev.holdfast.tasks.run;

import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.WorkerAgent;

/**
 * A task that this process works on.
 *
 * @param trial whether it tries an agent whose circuit was open
 */
record RunningTask(
    Task task,
    Task.Lease lease,
    WorkerAgent agent,
    AgentAction action,
    boolean trial,
    Thread thread) {}
