/**
 * What is remembered beyond a conversation: MEMORY.md of a chat thread and of all, and its log.
 *
 * <p>Knows nothing of models; reaches the files of the thread that calls, and the global one.
 */
@NullMarked
package dev.holdfast.tools.memory;

import org.jspecify.annotations.NullMarked;
