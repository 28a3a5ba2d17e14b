/** The channel {@code discord}. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.discord;

import org.jspecify.annotations.NullMarked;
