package dev.holdfast.store.messages;

/** An event that nobody has begun, as of a moment ago. */
public record Waiting(long seq, String threadId) {}
