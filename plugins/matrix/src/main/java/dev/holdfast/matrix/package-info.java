/** The channel {@code matrix}. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.matrix;

import org.jspecify.annotations.NullMarked;
