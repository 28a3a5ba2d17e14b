/**
 * Fire drills: a fault on the running server, for a bounded time, and whether what was promised for
 * it held.
 *
 * <p>Knows no part that a fault is put into: each is handed in as an {@link
 * dev.holdfast.drills.Injection}.
 */
@NullMarked
package dev.holdfast.drills;

import org.jspecify.annotations.NullMarked;
