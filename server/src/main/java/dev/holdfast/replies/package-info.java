/**
 * Posts what the outbox holds, at most as often as promised.
 *
 * <p>Knows nothing of how a reply came about.
 */
@NullMarked
package dev.holdfast.replies;

import org.jspecify.annotations.NullMarked;
