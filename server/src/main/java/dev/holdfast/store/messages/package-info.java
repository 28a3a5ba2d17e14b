/**
 * The inbox, the outbox, what was given up, and the story of each message.
 *
 * <p>Knows nothing of chat: texts and addresses are what they were given.
 */
@NullMarked
package dev.holdfast.store.messages;

import org.jspecify.annotations.NullMarked;
