/**
 * Measures the server beside the bare limits of the same machine in the same run. May not use a
 * class of the server but those of its store, whose checkpoint is measured alone.
 */
@NullMarked
package dev.holdfast.tests.bench;

import org.jspecify.annotations.NullMarked;
