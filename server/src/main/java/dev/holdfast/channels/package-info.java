/**
 * The chat surfaces that are built in, and how their requests are signed and read.
 *
 * <p>Knows nothing of agents: it turns requests into messages and replies into posts.
 */
@NullMarked
package dev.holdfast.channels;

import org.jspecify.annotations.NullMarked;
