/**
 * Plans, tasks and the health of agents on disk: one table is the truth, and each move is stored
 * before it is acted on. Knows nothing of who does the work.
 */
@NullMarked
package dev.holdfast.tasks.ledger;

import org.jspecify.annotations.NullMarked;
