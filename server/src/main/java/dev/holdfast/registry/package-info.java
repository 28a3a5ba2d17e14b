/**
 * What can be added to a running server and removed from it again, while others use it.
 *
 * <p>Knows nothing of what is registered.
 */
@NullMarked
package dev.holdfast.registry;

import org.jspecify.annotations.NullMarked;
