/**
 * Child processes: spawned safely, bounded, and gone when their call or the server is.
 *
 * <p>Knows nothing of what the children are for.
 */
@NullMarked
package dev.holdfast.processes;

import org.jspecify.annotations.NullMarked;
