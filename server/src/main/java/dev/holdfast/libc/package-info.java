/**
 * Calls of the Linux C library that Java has no words for, and what their failures mean.
 *
 * <p>Knows nothing of the rest.
 */
@NullMarked
package dev.holdfast.libc;

import org.jspecify.annotations.NullMarked;
