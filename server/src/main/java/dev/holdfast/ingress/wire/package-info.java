/**
 * Connections and their limits, decoding, refusing, answering.
 *
 * <p>Knows no route and nobody who asks.
 */
@NullMarked
package dev.holdfast.ingress.wire;

import org.jspecify.annotations.NullMarked;
