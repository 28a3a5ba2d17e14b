/** Plugins in jars, good and evil, against the real jar. */
@NullMarked
package dev.holdfast.tests.plugins;

import org.jspecify.annotations.NullMarked;
