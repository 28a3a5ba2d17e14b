package dev.holdfast.replies;

import java.time.Instant;

/**
 * Chat threads of an account that wait because its platform has asked for it.
 *
 * @param source {@code channel:account}
 * @param until when the last of them is due
 */
public record PacedAccount(String source, int threads, Instant until) {}
