/**
 * What models do for tasks: write the steps of plans, judge goals, and work as agents. Knows
 * nothing of turns and of how plans are run.
 */
@NullMarked
package dev.holdfast.tasks.models;

import org.jspecify.annotations.NullMarked;
