package dev.holdfast.store.messages;

/**
 * {@code duplicate}: the event was accepted before; then this is the one of that time and nothing
 * was written.
 */
public record Appended(Event event, boolean duplicate) {}
