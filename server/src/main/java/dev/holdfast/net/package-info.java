/**
 * A blocking HTTP client on Vert.x: bounded, cancellable, honest about what was sent.
 *
 * <p>Knows no provider, no platform and no message format.
 */
@NullMarked
package dev.holdfast.net;

import org.jspecify.annotations.NullMarked;
