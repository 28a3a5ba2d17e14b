/**
 * What tests of the bundled plugins share with each other and with those of the whole server: the
 * platforms' doubles most of all. Knows the plugin API and the kit alone.
 */
@NullMarked
package dev.holdfast.kit.testing;

import org.jspecify.annotations.NullMarked;
