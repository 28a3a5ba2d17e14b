/**
 * Finds out who asks, holds off who guesses, and runs what programs with a token ask for.
 *
 * <p>Knows no route.
 */
@NullMarked
package dev.holdfast.ingress.login;

import org.jspecify.annotations.NullMarked;
