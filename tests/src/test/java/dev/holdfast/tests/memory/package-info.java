/** What conversations remember, and the sweeps that tidy it, against the real jar. */
@NullMarked
package dev.holdfast.tests.memory;

import org.jspecify.annotations.NullMarked;
