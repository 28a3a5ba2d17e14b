/**
 * What plugins and the server have in common: failures, messages, models, channels.
 *
 * <p>Knows the JDK and JSpecify alone.
 */
@NullMarked
package dev.holdfast.api;

import org.jspecify.annotations.NullMarked;
