/**
 * Attacks the server's doors: signatures, tokens, bodies, paths, secrets. May not use a class of
 * the server.
 */
@NullMarked
package dev.holdfast.tests.security;

import org.jspecify.annotations.NullMarked;
