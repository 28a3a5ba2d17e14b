/**
 * Turns a conversation into a model's answer, through guards, levels and fallbacks.
 *
 * <p>Knows nothing of chat threads, the inbox or replies.
 */
@NullMarked
package dev.holdfast.models;

import org.jspecify.annotations.NullMarked;
