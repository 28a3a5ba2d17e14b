/**
 * Opens a data folder: its lock, its database, and what the last run left there.
 *
 * <p>Knows nothing of the rows that others read and write later.
 */
@NullMarked
package dev.holdfast.store.opening;

import org.jspecify.annotations.NullMarked;
