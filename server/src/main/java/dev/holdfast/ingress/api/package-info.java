/**
 * The calls of {@code /api/v1}, plain blocking code on virtual threads.
 *
 * <p>Knows no connection: a call gets a request that was found to be allowed.
 */
@NullMarked
package dev.holdfast.ingress.api;

import org.jspecify.annotations.NullMarked;
