/** The channel {@code whatsapp}, by Meta's Cloud API. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.whatsapp;

import org.jspecify.annotations.NullMarked;
