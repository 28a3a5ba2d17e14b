/** What tests of the bundled plugins share. Knows the plugin API and the kit alone. */
@NullMarked
package dev.holdfast.kit.testing;

import org.jspecify.annotations.NullMarked;
