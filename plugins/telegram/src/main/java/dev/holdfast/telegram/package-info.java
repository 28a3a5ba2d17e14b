/** The channel of Telegram. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.telegram;

import org.jspecify.annotations.NullMarked;
