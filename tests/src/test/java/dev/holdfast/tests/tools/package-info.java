/** The built-in tools in the real jar. */
@NullMarked
package dev.holdfast.tests.tools;

import org.jspecify.annotations.NullMarked;
