/**
 * Breaks the server from outside, row by row of the fault matrix, and asks the oracle. May not use
 * a class of the server.
 */
@NullMarked
package dev.holdfast.tests.faults;

import org.jspecify.annotations.NullMarked;
