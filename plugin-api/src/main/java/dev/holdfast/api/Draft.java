package dev.holdfast.api;

/**
 * What an answer says so far, while it is being made.
 *
 * @param eventId the event that it answers, as in {@link OutboundReply#eventId}: a channel that
 *     edits what it has shown into the reply finds it by this
 * @param text Markdown; at most what fits into one post, then its beginning
 */
public record Draft(String account, String thread, String eventId, String text) {}
