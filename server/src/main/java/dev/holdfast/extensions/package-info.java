/**
 * Tools offered by child processes on stdio: servers of the Model Context Protocol, which are kept
 * running, and actions, which run once per call.
 *
 * <p>Knows nothing of turns, chats or models: what an extension offers stands in the toolbox.
 */
@NullMarked
package dev.holdfast.extensions;

import org.jspecify.annotations.NullMarked;
