package dev.holdfast.models;

/**
 * Who asks a model.
 *
 * @param threadId the chat thread whose turn it is
 * @param probe true: one try a provider, no retry, for the turn that finds out whether a model is
 *     back
 */
public record Asker(String threadId, boolean probe) {}
