/**
 * Worker agents and plans as models use them in a chat. Knows nothing of turns and of platforms.
 */
@NullMarked
package dev.holdfast.tasks.chat;

import org.jspecify.annotations.NullMarked;
