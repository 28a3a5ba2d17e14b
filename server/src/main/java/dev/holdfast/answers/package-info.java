/**
 * Forms that models fill in: what they answer is checked before anybody uses it.
 *
 * <p>Knows nothing of what the answers are for.
 */
@NullMarked
package dev.holdfast.answers;

import org.jspecify.annotations.NullMarked;
