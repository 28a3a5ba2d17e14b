package dev.holdfast.tasks.workers;

import dev.holdfast.api.ReplayClass;

/**
 * Something that an agent does.
 *
 * @param schema the JSON schema of its payload
 */
public record AgentAction(String name, String description, String schema, ReplayClass replay) {}
