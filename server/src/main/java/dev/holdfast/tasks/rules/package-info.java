/**
 * The rules of tasks as pure functions: moves, retries, the ladder of failures, the health of
 * agents, the graph of steps. Knows no store, no process and no clock.
 */
@NullMarked
package dev.holdfast.tasks.rules;

import org.jspecify.annotations.NullMarked;
