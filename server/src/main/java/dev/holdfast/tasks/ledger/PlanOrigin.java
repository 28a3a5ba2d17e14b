package dev.holdfast.tasks.ledger;

/**
 * Where a plan comes from.
 *
 * @param threadId the chat thread that is told of its end; empty when none is
 * @param eventId the event that asked for it; empty when none did
 * @param person who asked, as their platform or the API knows them
 */
public record PlanOrigin(String threadId, String eventId, String person) {}
