package dev.holdfast.access;

import java.time.Instant;

/**
 * A person whom an operator has let in.
 *
 * @param name what the platform showed as the person's name then; may be empty
 * @param approvedBy such as {@code token:main}
 */
public record PairedPerson(
    ChannelPerson person, String name, Instant approvedAt, String approvedBy) {}
