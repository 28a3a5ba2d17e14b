/** Tests the harness itself: an oracle that cannot find a fault proves nothing. */
@NullMarked
package dev.holdfast.tests.harness;

import org.jspecify.annotations.NullMarked;
