/**
 * Tools offered by other programs: servers of the Model Context Protocol, which are children that
 * are kept running or are called over HTTP, and actions, which are children that run once per call.
 *
 * <p>Knows nothing of turns, chats or models: what an extension offers stands in the toolbox.
 */
@NullMarked
package dev.holdfast.extensions;

import org.jspecify.annotations.NullMarked;
