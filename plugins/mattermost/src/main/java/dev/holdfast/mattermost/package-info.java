/** The channel {@code mattermost}. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.mattermost;

import org.jspecify.annotations.NullMarked;
