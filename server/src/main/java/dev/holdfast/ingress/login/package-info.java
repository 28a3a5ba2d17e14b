/**
 * Finds out who asks, and holds off who guesses.
 *
 * <p>Knows no route.
 */
@NullMarked
package dev.holdfast.ingress.login;

import org.jspecify.annotations.NullMarked;
