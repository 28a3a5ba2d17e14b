/**
 * One writer with group commit, readers, statements and files that are replaced as a whole.
 *
 * <p>Knows no table but its own two, {@code meta} and {@code counters}; other packages bring
 * theirs.
 */
@NullMarked
package dev.holdfast.store.engine;

import org.jspecify.annotations.NullMarked;
