/**
 * Worker agents: who does tasks, and how one attempt is made. Knows nothing of plans and of where
 * tasks are kept.
 */
@NullMarked
package dev.holdfast.tasks.workers;

import org.jspecify.annotations.NullMarked;
