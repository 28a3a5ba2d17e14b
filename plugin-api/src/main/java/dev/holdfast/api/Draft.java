package dev.holdfast.api;

/**
 * What an answer says so far, while it is being made.
 *
 * @param eventId the event that it answers, as in {@link OutboundReply#eventId}: a channel that
 *     edits what it has shown into the reply finds it by this
 * @param text Markdown; at most what fits into one post, then its beginning; empty before the first
 *     word
 * @param activity what is being done, for example the label of a tool that runs, at most 200 UTF-16
 *     units of plain text; empty when there is nothing to say about it
 */
public record Draft(String account, String thread, String eventId, String text, String activity) {}
