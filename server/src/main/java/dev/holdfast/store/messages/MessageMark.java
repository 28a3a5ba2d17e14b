package dev.holdfast.store.messages;

/**
 * How far messages had come at one moment.
 *
 * @param event the number of the event that was accepted last
 * @param reply the number of the reply that was planned last
 */
public record MessageMark(long event, long reply) {}
