package dev.holdfast.bus;

/**
 * Something that happened.
 *
 * @param id grows by one with each item; starts anew with each run of the server
 * @param kind dotted, for example {@code turn.text}
 * @param threadId the chat thread; empty when it concerns none
 * @param eventId the event; empty when it concerns none
 * @param json the details, a JSON object
 */
public record NewsItem(long id, String kind, String threadId, String eventId, String json) {}
