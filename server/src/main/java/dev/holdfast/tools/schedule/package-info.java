/**
 * Wake-ups: when they are due, and the tool that sets them.
 *
 * <p>Knows nothing of turns and events: who fires them stands above.
 */
@NullMarked
package dev.holdfast.tools.schedule;

import org.jspecify.annotations.NullMarked;
