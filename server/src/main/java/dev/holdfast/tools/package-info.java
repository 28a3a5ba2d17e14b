/**
 * The tools that models may call, and the box that runs them within their limits.
 *
 * <p>Knows nothing of turns, chats or models: a call comes in, a result goes out.
 */
@NullMarked
package dev.holdfast.tools;

import org.jspecify.annotations.NullMarked;
