/**
 * Work that is given out: plans, their tasks and the worker agents that do them. Knows nothing of
 * HTTP, of pages and of commands.
 */
@NullMarked
package dev.holdfast.tasks;

import org.jspecify.annotations.NullMarked;
