/** What the bundled plugins share. Knows the plugin API alone. */
@NullMarked
package dev.holdfast.kit;

import org.jspecify.annotations.NullMarked;
