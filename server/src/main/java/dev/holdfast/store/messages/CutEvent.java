package dev.holdfast.store.messages;

/**
 * An event whose run the last process did not bring to its end.
 *
 * @param attempts how many runs it has had, with the one that was cut off
 */
public record CutEvent(String eventId, int attempts) {}
