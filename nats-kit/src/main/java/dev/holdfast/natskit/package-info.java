/**
 * What the server's bus and the channel {@code nats} share: which NATS server is reached, whom it
 * knows and whom we trust.
 */
@NullMarked
package dev.holdfast.natskit;

import org.jspecify.annotations.NullMarked;
