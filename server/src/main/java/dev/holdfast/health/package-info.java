/**
 * Says whether the server lives and is ready, to people, probes and systemd.
 *
 * <p>Knows parts by their ticks and states only.
 */
@NullMarked
package dev.holdfast.health;

import org.jspecify.annotations.NullMarked;
