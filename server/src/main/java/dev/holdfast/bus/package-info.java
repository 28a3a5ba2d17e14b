/**
 * Spreads news of what happens inside the server to those who watch.
 *
 * <p>Knows nothing of what the news mean; the durable copies are in the store.
 */
@NullMarked
package dev.holdfast.bus;

import org.jspecify.annotations.NullMarked;
