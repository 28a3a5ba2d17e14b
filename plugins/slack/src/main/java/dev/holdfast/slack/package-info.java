/** The channel of Slack. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.slack;

import org.jspecify.annotations.NullMarked;
