/** The channel {@code nats}. Knows the plugin API, the kit and the client of NATS alone. */
@NullMarked
package dev.holdfast.nats;

import org.jspecify.annotations.NullMarked;
