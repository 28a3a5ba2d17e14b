/**
 * Keeps the memories of chat threads tidy while nobody talks, and brings to all threads what they
 * should know.
 *
 * <p>Knows nothing of HTTP or commands; what a model proposes is checked before it changes a file.
 */
@NullMarked
package dev.holdfast.memory;

import org.jspecify.annotations.NullMarked;
