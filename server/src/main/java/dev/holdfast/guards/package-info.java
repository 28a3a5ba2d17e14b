/**
 * Keeps what the guards of outside calls must know after a restart.
 *
 * <p>Knows nothing of what is called.
 */
@NullMarked
package dev.holdfast.guards;

import org.jspecify.annotations.NullMarked;
