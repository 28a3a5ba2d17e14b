/**
 * How much the server does while parts of it fail, and who decides that.
 *
 * <p>Knows nothing of turns, models and channels: they ask it what is allowed.
 */
@NullMarked
package dev.holdfast.modes;

import org.jspecify.annotations.NullMarked;
