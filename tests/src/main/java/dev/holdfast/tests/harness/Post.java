package dev.holdfast.tests.harness;

/**
 * One reply that the platform was sent.
 *
 * @param replyId the {@code webhook-id} of the post: stable across resends
 * @param inReplyTo the {@code webhook-id} of the event that it answers
 * @param atNanos when it had come whole, by {@link System#nanoTime()}
 * @param mode what the platform did with it
 */
public record Post(
    String replyId,
    String inReplyTo,
    String thread,
    String text,
    int part,
    int parts,
    boolean signatureRight,
    long atNanos,
    PlatformMode mode) {}
