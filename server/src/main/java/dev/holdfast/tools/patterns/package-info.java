/** Regular expressions of strangers. Knows nothing of tools. */
@NullMarked
package dev.holdfast.tools.patterns;

import org.jspecify.annotations.NullMarked;
