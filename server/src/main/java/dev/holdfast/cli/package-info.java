/**
 * The commands of the holdfast launcher and jar.
 *
 * <p>Talks to a running server through its API, to a stopped one through its files.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
