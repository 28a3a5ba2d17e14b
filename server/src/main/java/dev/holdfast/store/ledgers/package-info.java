/**
 * Approvals, audit, schedules and spending: what is kept beside the messages.
 *
 * <p>Decides nothing; it remembers what was decided.
 */
@NullMarked
package dev.holdfast.store.ledgers;

import org.jspecify.annotations.NullMarked;
