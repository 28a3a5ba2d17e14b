/**
 * What happens, as server-sent events.
 *
 * <p>Knows the news, not who makes them.
 */
@NullMarked
package dev.holdfast.ingress.stream;

import org.jspecify.annotations.NullMarked;
