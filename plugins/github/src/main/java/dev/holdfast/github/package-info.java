/** The channel of GitHub. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.github;

import org.jspecify.annotations.NullMarked;
