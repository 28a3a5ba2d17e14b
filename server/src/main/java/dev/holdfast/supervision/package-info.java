/**
 * Restarts what crashed, within limits.
 *
 * <p>Knows its children by name only, not what they do.
 */
@NullMarked
package dev.holdfast.supervision;

import org.jspecify.annotations.NullMarked;
