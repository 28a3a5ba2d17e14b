package dev.holdfast.access;

import java.time.Instant;

/**
 * A person who was told a code, which nobody has approved yet.
 *
 * @param name what the platform shows as the person's name; may be empty
 * @param thread where the person wrote, as in {@link dev.holdfast.api.InboundMessage#thread}
 * @param replyTo the platform's id of what the person wrote
 * @param expiresAt from then on the code means nothing
 */
public record PendingPairing(
    ChannelPerson person,
    String name,
    String thread,
    String replyTo,
    Instant askedAt,
    Instant expiresAt) {}
