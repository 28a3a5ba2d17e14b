package dev.holdfast.api;

/**
 * A button under a post.
 *
 * @param label what it says, at most 30 UTF-16 units
 * @param token comes back with the {@link Click}: 22 characters of letters, digits, {@code -} and
 *     {@code _}, which say nothing to anybody but this server
 * @param isCareful whether it is the one that lets something happen
 */
public record Choice(String label, String token, boolean isCareful) {}
