package dev.holdfast.replies;

import java.time.Instant;

/**
 * A channel's account that is not there, while replies wait for it.
 *
 * @param source {@code channel:account}
 * @param since when the oldest of the replies was planned
 */
public record AbsentAccount(String source, long replies, Instant since) {}
