/**
 * The one place that reads the clock, sleeps and sets timers.
 *
 * <p>Knows nothing of the rest, so that tests can move time by hand.
 */
@NullMarked
package dev.holdfast.time;

import org.jspecify.annotations.NullMarked;
