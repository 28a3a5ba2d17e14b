/**
 * One turn from its message to its answer: asking, tools, limits, endings.
 *
 * <p>Knows neither the mailbox of its chat thread nor the other threads.
 */
@NullMarked
package dev.holdfast.agents.turn;

import org.jspecify.annotations.NullMarked;
