/**
 * Puts the parts together: {@code Main}, {@code Server}, {@code ServerConfig}.
 *
 * <p>Is used by nobody.
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
