/**
 * Spreads news of what happens inside the server to those who watch, and takes events to NATS for
 * programs outside.
 *
 * <p>Knows nothing of what they mean. News are never the only copy of anything; an event is in the
 * database until NATS has it.
 */
@NullMarked
package dev.holdfast.bus;

import org.jspecify.annotations.NullMarked;
