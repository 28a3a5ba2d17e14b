/** Worker agents and plans in the real jar. */
@NullMarked
package dev.holdfast.tests.tasks;

import org.jspecify.annotations.NullMarked;
