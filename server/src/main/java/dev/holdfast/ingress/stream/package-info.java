/**
 * What happens, as server-sent events, and who waits for an end.
 *
 * <p>Knows the news, not who makes them.
 */
@NullMarked
package dev.holdfast.ingress.stream;

import org.jspecify.annotations.NullMarked;
