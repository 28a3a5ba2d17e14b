package dev.holdfast.store.messages;

/**
 * A row whose checksum does not match.
 *
 * @param kind {@code event} or {@code reply}
 * @param eventId the event that it is of; empty when its id is unreadable
 * @param wasOpen whether it was given up by that; else it was set aside
 */
public record DamagedRow(String kind, String eventId, boolean wasOpen) {}
