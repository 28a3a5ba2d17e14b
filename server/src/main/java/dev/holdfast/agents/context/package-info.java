/**
 * What a model remembers of a chat thread and is shown, and the messages that came in.
 *
 * <p>Knows no turn: it holds what turns read and write.
 */
@NullMarked
package dev.holdfast.agents.context;

import org.jspecify.annotations.NullMarked;
