package dev.holdfast.api;

/**
 * A post whose choices are over.
 *
 * @param platformId of the post, as {@link PostOutcome.Sent} named it
 * @param text the whole new text of the post, Markdown; at most what fits into one post
 */
public record SettledPost(String account, String thread, String platformId, String text) {}
